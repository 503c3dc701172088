import type { EpochMs } from "@quota/core";
import type { RateTreeUsage, RevisedRatePlan } from "./rateAdmission.js";
import { rateNodeUsages } from "./rateNodeUsages.js";
import type { RatePlans } from "./ratePlans.js";
import { MINUTE_MS } from "./ratePlanSheet.js";
import { readRateSheet } from "./readRateSheet.js";
import type { RateStore } from "./rateStore.js";

/** Reads all nodes of a plan at once, under the newest revision that its ledger knows. */
export async function readRateTreeUsage(
  question: { readonly asked: RevisedRatePlan; readonly plans: RatePlans; readonly store: RateStore },
  now: EpochMs,
): Promise<RateTreeUsage> {
  const sheetIn = question.plans.treeSheet;
  const { revision, sheet, amounts } = await readRateSheet({ ...question, sheetIn }, now);
  const resetsAt = (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS;
  return { revision, resetsAt, nodes: rateNodeUsages(sheet, amounts) };
}
