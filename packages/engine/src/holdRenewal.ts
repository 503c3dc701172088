import type { EpochMs } from "@quota/core";
import { generationAt, type HeldLease, type LeaseBook } from "./leaseBook.js";
import { addTo, keepsOwn, renewalAdditions } from "./settlementStep.js";
import { StoreError } from "./storeError.js";
import type { StoreWatch } from "./storeWatch.js";
import type { UsageStore } from "./usageStore.js";

/** Keeps the holds of long requests alive: one timer for all of them. */
export interface HoldRenewal {
  /** Makes sure that the timer runs while leases are open. */
  start(): void;
  /** Renews no more, and waits for the renewals under way: settlements wait for them, too. */
  stop(): Promise<void>;
}

export function createHoldRenewal(tools: {
  readonly store: UsageStore;
  readonly leases: LeaseBook;
  readonly leaseMs: number;
  readonly watch: StoreWatch;
  readonly now: () => EpochMs;
}): HoldRenewal {
  const { store, leases, leaseMs, watch, now } = tools;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const underWay = new Set<HeldLease>();

  function renewAll(): void {
    const at = now();
    for (const held of leases.olderThan(generationAt(leaseMs, at))) {
      if (underWay.has(held)) continue;
      underWay.add(held);
      held.renewing = renew(held, at).finally(() => {
        held.renewing = undefined;
        underWay.delete(held);
      });
    }
    if (leases.size === 0) clear();
  }

  /** Settling waits for a renewal, so that a hold is never moved after it was given back. */
  async function renew(held: HeldLease, at: EpochMs): Promise<void> {
    const { live, caller, costs, generation } = held;
    if (live === undefined || generation === undefined) return;
    const renewed = { live, apiKeyId: caller.apiKeyId, hold: { estimate: costs, generation } };
    try {
      const additions = renewalAdditions(renewed, leaseMs, at);
      await addTo({ store, ledger: live.ledger, additions }, at);
      if (!keepsOwn(renewed, leaseMs, at)) held.costs = { ...costs, ownIn: undefined };
      held.generation = generationAt(leaseMs, at);
    } catch (cause) {
      // Where the hold lies now cannot be known: settling will only add, and whatever is held evaporates.
      if (cause instanceof StoreError && cause.applied === "unknown") held.generation = undefined;
      watch.failed({ cause, at, consequence: "a hold could not be renewed" });
    }
  }

  function clear(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    start() {
      if (timer !== undefined || stopped) return;
      timer = setInterval(renewAll, leaseMs / 2);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clear();
      for (const { renewing } of underWay) await renewing;
    },
  };
}
