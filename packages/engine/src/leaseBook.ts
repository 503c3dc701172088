import { currentBucket, type AmountsInGrains, type EpochMs } from "@quota/core";
import type { LivePool } from "./governedPools.js";
import type { Held } from "./held.js";
import type { Lease } from "./lease.js";
import type { QuotaCaller } from "./quotaEngine.js";

/** What the engine knows of a lease. */
export interface HeldLease extends Lease, LeaseTerms {
  state: Lease["state"];
  generation: number | undefined;
  costs: Held;
  /** A renewal under way; settling waits for it. */
  renewing: Promise<void> | undefined;
  /** Says what has been used so far, while the request is answered. */
  producedSoFar: (() => AmountsInGrains) | undefined;
  /** How much demand of it is counted already. */
  followed: number;
}

/** What a lease is opened with. */
export interface LeaseTerms {
  readonly caller: QuotaCaller;
  /** Undefined where nobody governs, or where the pool could not be found when the request passed unjudged. */
  readonly live: LivePool | undefined;
  readonly judged: "governed" | "ungoverned" | "unjudged";
  /** The estimate: what is held, and what a unit costs that the settlement leaves out. */
  readonly costs: Held;
  /** The generation the estimate is held in; undefined where nothing is held, or where that cannot be known any more. */
  readonly generation: number | undefined;
}

/** The leases of this process that are still open. */
export interface LeaseBook {
  readonly size: number;
  open(terms: LeaseTerms): Lease;
  /**
   * Closes an open lease; undefined when it was closed before.
   *
   * @throws {TypeError} for a lease that another engine opened.
   */
  close(lease: Lease, state: "settled" | "released"): HeldLease | undefined;
  /** An open lease; undefined for one that is closed, or another engine's. */
  find(lease: Lease): HeldLease | undefined;
  /** Open leases on this connection of which it is known what they have used so far. */
  openOn(connectionId: string): readonly HeldLease[];
  /** Open leases whose holds lie in an older generation than this one. */
  olderThan(generation: number): readonly HeldLease[];
}

export function createLeaseBook(): LeaseBook {
  const leases = new Set<Lease>();
  return {
    get size() {
      return leases.size;
    },
    open({ caller, live, judged, costs, generation }) {
      const lease: HeldLease = {
        apiKeyId: caller.apiKeyId,
        connectionId: caller.connectionId,
        poolId: live?.governed.pool.id,
        state: "open",
        caller,
        live,
        judged,
        costs,
        generation,
        renewing: undefined,
        producedSoFar: undefined,
        followed: 0,
      };
      leases.add(lease);
      return lease;
    },
    close(lease, state) {
      if (!leases.delete(lease)) {
        if (lease.state !== "open") return undefined;
        throw new TypeError("lease: it was not opened by this engine; settle it where it was admitted.");
      }
      const held = lease as HeldLease;
      held.state = state;
      return held;
    },
    find: (lease) => (leases.has(lease) ? (lease as HeldLease) : undefined),
    openOn: (connectionId) =>
      [...(leases as Set<HeldLease>)].filter(
        (held) => held.producedSoFar !== undefined && held.connectionId === connectionId,
      ),
    olderThan(generation) {
      return [...(leases as Set<HeldLease>)].filter(
        (held) => held.generation !== undefined && held.generation < generation,
      );
    },
  };
}

/** The lease generation that `now` lies in. */
export function generationAt(leaseMs: number, now: EpochMs): number {
  return currentBucket(leaseMs, now);
}
