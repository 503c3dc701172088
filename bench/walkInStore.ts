import { checkRatePlan, type RatePlan, type RateUsage } from "@quota/core";
import type { Counter, UsageStore } from "@quota/engine";
import type { WalkRateTree } from "./compareRateTrees.js";

/** Admits by the definition: one atomic step on the store that reads every node's use. */
export function walkInStore(store: UsageStore, plan: RatePlan): WalkRateTree {
  const ids = [...plan.nodes.keys()];
  const countersAt = (minute: number): readonly Counter[] =>
    ids.flatMap((id) =>
      ["rpm", "tpm"].map((dimension) => ({
        id: `${id}|${dimension}`,
        bucket: minute,
        expiresAt: (minute + 2) * 60_000,
      })),
    );
  return (path, { estimate, now }) =>
    store.transact({
      ledger: "walk",
      counters: countersAt(Math.floor(now / 60_000)),
      now,
      decide(amounts) {
        const usage = new Map<string, RateUsage>(
          ids.map((id, i) => [id, { requests: amounts[2 * i]!, tokens: amounts[2 * i + 1]! }]),
        );
        const answer = checkRatePlan({ plan, path, usage, estimate });
        const charges = new Map(
          answer.allowed ? answer.charges.map((charge) => [charge.nodeId, charge]) : [],
        );
        const additions = ids.flatMap((id) => [charges.get(id)?.requests ?? 0, charges.get(id)?.tokens ?? 0]);
        return { result: answer.allowed, additions };
      },
    });
}
