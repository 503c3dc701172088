import type { EpochMs, RateRefusal } from "@quota/core";
import { ratePlanLedger } from "./counterId.js";
import type { RevisedRatePlan } from "./rateAdmission.js";
import type { RatePlans } from "./ratePlans.js";
import { MINUTE_MS, wholePlanSheet, type RatePlanSheet } from "./ratePlanSheet.js";
import { ratePlanVerdict, rebuildStep, type RatePlanOutcome, type RatePlanWork } from "./ratePlanStep.js";
import type { RateStore } from "./rateStore.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";
import type { LedgerId } from "./usageStore.js";

/** What is to be done in a plan's ledger, whatever revision of the plan it turns out to know. */
export interface RatePlanJob {
  /** As the caller knows the plan. */
  readonly asked: RevisedRatePlan;
  readonly work: RatePlanWork;
  /** The counters of the nodes it is about, under whichever plan. */
  readonly sheetIn: (revised: RevisedRatePlan) => RatePlanSheet;
  /** Told when the ledger was charged, but so late that nobody waits any more. */
  readonly late?: ((revised: RevisedRatePlan) => void) | undefined;
}

/** How a job ended, and under which plan. */
export type RatePlanDone = { readonly revised: RevisedRatePlan } & (
  { readonly kind: "charged" } | { readonly kind: "refused"; readonly refusal: RateRefusal }
);

/** The ledgers of rate plans: each job is one atomic step, under the newest revision that its ledger knows. */
export interface RatePlanLedgers {
  /**
   * @throws {RatesUnavailableError} as the store and `loadPlan` fail. @throws {ContendedError} as the store does.
   */
  run(job: RatePlanJob, now: EpochMs): Promise<RatePlanDone>;
}

/** How often one job may find that its plan has changed under it. */
const MAX_TURNS = 8;

export function createRatePlanLedgers(tools: {
  readonly store: RateStore;
  readonly plans: RatePlans;
}): RatePlanLedgers {
  const { store, plans } = tools;
  /** By ledger: the rebuild that others wait for, so that one of them reads the whole plan. */
  const rebuilding = new Map<LedgerId, Promise<RatePlanOutcome>>();

  async function turn(job: RatePlanJob, revised: RevisedRatePlan, now: EpochMs): Promise<RatePlanOutcome> {
    const { sheet, countersAt } = job.sheetIn(revised);
    const step = { revision: revised.revision, sheet, work: job.work };
    return store.transact(
      {
        ledger: ratePlanLedger(revised.id),
        counters: countersAt(minuteOf(now)),
        now,
        decide: (amounts) => ratePlanVerdict(step, amounts),
      },
      job.late && lateCharge(job.late, revised),
    );
  }

  async function rebuild(job: RatePlanJob, revised: RevisedRatePlan, now: EpochMs): Promise<RatePlanOutcome> {
    const { whole, sheet } = wholePlanSheet(revised.plan, job.sheetIn(revised).sheet);
    const step = { revision: revised.revision, sheet, work: job.work, whole: whole.sheet };
    return store.transact(
      {
        ledger: ratePlanLedger(revised.id),
        counters: whole.countersAt(minuteOf(now)),
        now,
        decide: (amounts) => rebuildStep(step, amounts),
      },
      job.late && lateCharge(job.late, revised),
    );
  }

  /** The outcome of this job's own rebuild; undefined after another's, when it has to ask again. */
  async function rebuildOnce(
    job: RatePlanJob,
    revised: RevisedRatePlan,
    now: EpochMs,
  ): Promise<RatePlanOutcome | undefined> {
    const ledger = ratePlanLedger(revised.id);
    const underWay = rebuilding.get(ledger);
    if (underWay !== undefined) {
      await underWay;
      return undefined;
    }
    const own = rebuild(job, revised, now).finally(() => rebuilding.delete(ledger));
    rebuilding.set(ledger, own);
    return own;
  }

  return {
    async run(job, now) {
      let revised = plans.newest(job.asked);
      for (let i = 0; i < MAX_TURNS; i += 1) {
        let outcome: RatePlanOutcome | undefined = await turn(job, revised, now);
        if (outcome.kind === "rebuild") outcome = await rebuildOnce(job, revised, now);
        switch (outcome?.kind) {
          case "charged":
          case "refused":
            return { ...outcome, revised };
          case "newer":
            revised = await plans.load(revised.id, outcome.revision);
            break;
          case "rebuild":
          case undefined:
            revised = plans.newest(revised);
        }
      }
      throw new RatesUnavailableError("The rate plan kept changing while it was asked.", { applied: "no" });
    },
  };
}

function minuteOf(now: EpochMs): number {
  return Math.floor(now / MINUTE_MS);
}

function lateCharge(
  late: (revised: RevisedRatePlan) => void,
  revised: RevisedRatePlan,
): (outcome: RatePlanOutcome) => void {
  return (outcome) => {
    if (outcome.kind === "charged") late(revised);
  };
}
