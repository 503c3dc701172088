import { roomAt, type EpochMs, type RateLine } from "@quota/core";
import type { RatePlanRequest, RatePlanUsage, RateRoom } from "./rateAdmission.js";
import { rateNodeUsages } from "./rateNodeUsages.js";
import type { RatePlans } from "./ratePlans.js";
import { MINUTE_MS } from "./ratePlanSheet.js";
import { readRateSheet } from "./readRateSheet.js";
import type { RateStore } from "./rateStore.js";

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
  const resetsAt = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  if (leafId === undefined) {
    const available = { requests: "unlimited", tokens: "unlimited" } as const;
    return { revision: plans.newest(asked).revision, resetsAt, nodes: [], available };
  }
  const { revision, sheet, amounts } = await readRateSheet(
    { asked, plans, store, sheetIn: (plan) => plans.pathSheet(plan, leafId) },
    now,
  );
  const available = { requests: availableOn(sheet.rpm, amounts), tokens: availableOn(sheet.tpm, amounts) };
  return { revision, resetsAt, nodes: rateNodeUsages(sheet, amounts), available };
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
