import type { EpochMs, LendingSpec, Pool, PoolSpec, WhenStoreFails } from "@quota/core";
import type { Awaitable } from "./awaitable.js";

/** Where pools are kept. `describePoolDirectory` of @quota/conformance is this contract as tests. */
export interface PoolDirectory {
  /** The pool that shares this connection, as it stands now. On the path of every request: keep it at hand, and answer at once if you can. */
  ofConnection(connectionId: string): Awaitable<Pool | undefined>;
  get(id: string): Promise<Pool | undefined>;
  /** Every pool, oldest first. */
  list(): Promise<readonly Pool[]>;
  /**
   * Makes a pool, with a new incarnation. An id may be asked for (an import); otherwise one is made.
   *
   * @throws {InvalidInputError} naming every fault; nothing is written.
   * @throws {PoolConflictError} when the connection has a pool already, or the id is taken.
   */
  create(spec: PoolSpec & { readonly id?: string }, now: EpochMs): Promise<Pool>;
  /**
   * Replaces the named members of a pool, all or none, and raises its version. The connection of a pool never changes.
   *
   * @throws {InvalidInputError} naming every fault; nothing is written.
   * @throws {PoolConflictError} code `stale` when `ifVersion` is given and is not the pool's version any more.
   * @returns the pool as it is now, or undefined when there is none.
   */
  update(
    id: string,
    change: PoolChange,
    options?: { readonly ifVersion?: number | undefined },
  ): Promise<Pool | undefined>;
  /** Ends a pool's life; whether there was one. What is in flight settles into its ledger and expires with it. */
  delete(id: string): Promise<boolean>;
}

/** What may be changed of a pool. A member left out stays; `null` takes an optional one away. */
export type PoolChange = Partial<Pick<PoolSpec, "name" | "unallocated" | "lending" | "allocations">> & {
  readonly saturationThreshold?: number | null;
  readonly whenStoreFails?: WhenStoreFails | null;
  readonly shadow?: LendingSpec | null;
};
