import type { EpochMs } from "@quota/core";

/** Names one counter within a ledger. Stores treat it as opaque text. */
export type CounterId = string;

/**
 * Names a ledger: the unit of consistency. Counters of one ledger are read and changed together; nothing is promised across two.
 * One life of a pool is a ledger.
 */
export type LedgerId = string;

/** One number in one bucket: a window's, or a generation's of holds. Starts at 0. */
export interface Counter {
  readonly id: CounterId;
  readonly bucket: number;
  /** From this moment on nobody reads it any more; a store may drop it. */
  readonly expiresAt: EpochMs;
}

/** What a decision answers: a result for the caller, and what the store should add. */
export interface Verdict<Result> {
  readonly result: Result;
  /** Whole numbers, signed, aligned with the counters that were shown. */
  readonly additions: readonly number[];
  /**
   * Bounds per counter: the verdict stands (no sterner, same additions) at any amounts that are all within them. Absent: only at
   * exactly the amounts shown; a bound that is undefined, only at exactly that counter's. A store that can hold others off while it
   * decides has no use for them.
   */
  readonly holdsUpTo?: readonly (number | undefined)[] | undefined;
}

/** One step on a ledger. */
export interface Step<Result> {
  readonly ledger: LedgerId;
  /** All different: no id and bucket twice. */
  readonly counters: readonly Counter[];
  /** A counter whose `expiresAt` is not after this moment is shown as 0, and what is added to it is dropped. */
  readonly now: EpochMs;
  /** Pure; it may run more than once. Sees whole numbers, aligned with `counters`. What it throws rejects this step and changes nothing. */
  readonly decide: (amounts: readonly number[]) => Verdict<Result>;
}

/**
 * Counts; never decides. Amounts are whole numbers, exact to 2^53. There is no clock in a store: `now` is handed in.
 *
 * `describeUsageStore` of @quota/conformance is this contract as tests.
 */
export interface UsageStore {
  /**
   * Shows `decide` one consistent reading of the counters, then applies what it returns: all of it, or none. Steps on one
   * ledger behave as if they ran one after the other, in whatever process they were asked.
   *
   * @throws {StoreError} when the store cannot be read or written.
   */
  transact<Result>(step: Step<Result>): Promise<Result>;
  /** For display: amounts aligned with the counters, 0 for those never written. May lag behind `transact`. */
  read(ledger: LedgerId, counters: readonly Counter[]): Promise<readonly number[]>;
  /** Drops counters that expired before this moment; how many. */
  forget(before: EpochMs): Promise<number>;
  /** Gives up what the store itself opened. What comes after is rejected with a {@link StoreError}. */
  close(): Promise<void>;
}
