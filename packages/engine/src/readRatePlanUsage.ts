import { rebuildRates, roomAt, type EpochMs, type RateLine, type RateSheet } from "@quota/core";
import { ratePlanLedger } from "./counterId.js";
import type { RateDimensionUsage, RatePlanRequest, RatePlanUsage, RateRoom } from "./rateAdmission.js";
import type { RatePlans } from "./ratePlans.js";
import { MINUTE_MS, wholePlanSheet } from "./ratePlanSheet.js";
import type { RateStore } from "./rateStore.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";

/** Reads a path's numbers as they stand, under the newest revision that its ledger knows. */
export async function readRatePlanUsage(
  question: {
    readonly asked: RatePlanRequest;
    readonly leafId: string | undefined;
    readonly plans: RatePlans;
    readonly store: RateStore;
  },
  now: EpochMs,
): Promise<RatePlanUsage> {
  const { asked, leafId, plans, store } = question;
  let revised = plans.newest(asked);
  const minute = Math.floor(now / MINUTE_MS);
  const resetsAt = (minute + 1) * MINUTE_MS;
  if (leafId === undefined)
    return {
      revision: revised.revision,
      resetsAt,
      nodes: [],
      available: { requests: "unlimited", tokens: "unlimited" },
    };

  for (let i = 0; i < MAX_TURNS; i += 1) {
    const { id, revision, plan } = revised;
    const { sheet, countersAt } = plans.pathSheet(plan, leafId);
    const ledger = ratePlanLedger(id);
    const amounts = await store.read({ ledger, counters: countersAt(minute) }, now);
    const keptUnder = amounts.at(-1)!;
    const newest = Math.max(amounts.at(-2)!, keptUnder) - 1;
    if (newest > revision) {
      revised = await plans.load(id, newest);
      continue;
    }
    const isOld = keptUnder > 0 && keptUnder <= revision;
    if (!isOld) return { revision, resetsAt, ...usageOn(sheet, amounts) };
    const { whole, sheet: path } = wholePlanSheet(plan, sheet);
    const all = await store.read({ ledger, counters: whole.countersAt(minute) }, now);
    const rebuilt = rebuildRates({ sheet: whole.sheet, amounts: all });
    return {
      revision,
      resetsAt,
      ...usageOn(
        path,
        all.map((amount, i) => amount + rebuilt[i]!),
      ),
    };
  }
  throw new RatesUnavailableError("The rate plan kept changing while it was read.", { applied: "no" });
}

/** How often the plan may turn out to be newer. */
const MAX_TURNS = 8;

function usageOn(sheet: RateSheet, amounts: readonly number[]): Pick<RatePlanUsage, "nodes" | "available"> {
  return {
    nodes: sheet.rpm.map((line, i) => ({
      id: line.node.id,
      kind: line.node.kind,
      requests: usageOf(line, amounts),
      tokens: usageOf(sheet.tpm[i]!, amounts),
    })),
    available: { requests: availableOn(sheet.rpm, amounts), tokens: availableOn(sheet.tpm, amounts) },
  };
}

function usageOf({ used, fixed }: RateLine, amounts: readonly number[]): RateDimensionUsage {
  const use = amounts[used]!;
  if (fixed === undefined) return { limit: "unlimited", used: use, heldForChildren: 0, left: "unlimited" };
  const { limit, limitsBelow, given } = fixed;
  const taken = amounts[given]! + limitsBelow;
  return { limit, used: use, heldForChildren: taken - use, left: Math.max(0, limit - taken) };
}

function availableOn(lines: readonly RateLine[], amounts: readonly number[]): RateRoom {
  let least: RateRoom = "unlimited";
  for (const { fixed } of lines) {
    if (fixed === undefined) continue;
    const room = fixed.limit === 0 ? 0 : Math.max(0, roomAt(fixed, amounts));
    least = least === "unlimited" ? room : Math.min(least, room);
  }
  return least;
}
