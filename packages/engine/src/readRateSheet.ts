import { rebuildRates, type EpochMs, type RatePlan, type RateSheet } from "@quota/core";
import { ratePlanLedger } from "./counterId.js";
import type { RevisedRatePlan } from "./rateAdmission.js";
import type { RatePlans } from "./ratePlans.js";
import { MINUTE_MS, wholePlanSheet, type RatePlanSheet } from "./ratePlanSheet.js";
import type { RateStore } from "./rateStore.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";

/** The numbers of some nodes in the current minute, with where each stands. */
export interface RateReading {
  readonly revision: number;
  readonly sheet: RateSheet;
  readonly amounts: readonly number[];
}

/**
 * Reads nodes of a plan under the newest revision that its ledger knows, as a charge would find them: what an older revision kept in this
 * minute is reckoned anew.
 *
 * @throws {RatesUnavailableError}
 */
export async function readRateSheet(
  question: {
    readonly asked: RevisedRatePlan;
    readonly sheetIn: (plan: RatePlan) => RatePlanSheet;
    readonly plans: RatePlans;
    readonly store: RateStore;
  },
  now: EpochMs,
): Promise<RateReading> {
  const { asked, sheetIn, plans, store } = question;
  let revised = plans.newest(asked);
  const minute = Math.floor(now / MINUTE_MS);
  for (let i = 0; i < MAX_TURNS; i += 1) {
    const { id, revision, plan } = revised;
    const { sheet, countersAt } = sheetIn(plan);
    const ledger = ratePlanLedger(id);
    const amounts = await store.read({ ledger, counters: countersAt(minute) }, now);
    const keptUnder = amounts.at(-1)!;
    const newest = Math.max(amounts.at(-2)!, keptUnder) - 1;
    if (newest > revision) {
      revised = await plans.load(id, newest);
      continue;
    }
    const isOld = keptUnder > 0 && keptUnder <= revision;
    if (!isOld) return { revision, sheet, amounts };
    const { whole, sheet: part } = wholePlanSheet(plan, sheet);
    const all = await store.read({ ledger, counters: whole.countersAt(minute) }, now);
    const rebuilt = rebuildRates({ sheet: whole.sheet, amounts: all });
    return { revision, sheet: part, amounts: all.map((amount, i) => amount + rebuilt[i]!) };
  }
  throw new RatesUnavailableError("The rate plan kept changing while it was read.", { applied: "no" });
}

/** How often the plan may turn out to be newer. */
const MAX_TURNS = 8;
