import { idProblem, QuotaConfigError, ratePathFrom, type RatePlan } from "@quota/core";
import type { RateAdmissionOptions, RevisedRatePlan } from "./rateAdmission.js";
import { ratePlanSheet, type RatePlanSheet } from "./ratePlanSheet.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";

/** The rate plans that this process knows, each at its newest revision. */
export interface RatePlans {
  /**
   * The newest that is known of a plan: the one handed in, or a newer one.
   *
   * @throws {QuotaConfigError} for an id or a revision that is none.
   */
  newest(asked: RevisedRatePlan): RevisedRatePlan;
  /** A plan of at least this revision. @throws {RatesUnavailableError} where there is none to be had. */
  load(id: string, revision: number): Promise<RevisedRatePlan>;
  /** The counters of a node's path. @throws {QuotaConfigError} `unknown-rate-node` */
  pathSheet(plan: RatePlan, leafId: string): RatePlanSheet;
  /** The counters of every node, in the plan's order. */
  treeSheet(plan: RatePlan): RatePlanSheet;
}

/** Above this many, plans are taken as they are handed in, and paths are laid out anew, so that memory stays bounded. */
const MAX_PLANS = 10_000;
const MAX_PATHS = 50_000;

export function createRatePlans(loadPlan: RateAdmissionOptions["loadPlan"]): RatePlans {
  const known = new Map<string, RevisedRatePlan>();
  const loading = new Map<string, Promise<RevisedRatePlan>>();
  const sheets = new WeakMap<RatePlan, Map<string, RatePlanSheet>>();
  const trees = new WeakMap<RatePlan, RatePlanSheet>();

  function remember(revised: RevisedRatePlan): RevisedRatePlan {
    const { id, revision } = revised;
    const before = known.get(id);
    if (before !== undefined && before.revision >= revision)
      return before.revision > revision ? before : revised;
    check(revised);
    if (known.size >= MAX_PLANS) known.clear();
    known.set(id, revised);
    return revised;
  }

  async function ask(id: string, revision: number): Promise<RevisedRatePlan> {
    const about = `The ledger knows revision ${String(revision)} of the rate plan ${JSON.stringify(id)}`;
    let found: RevisedRatePlan | undefined;
    try {
      found = await loadPlan?.(id, revision);
    } catch (cause) {
      throw new RatesUnavailableError(`${about}, which could not be loaded.`, { applied: "no", cause });
    }
    if (found === undefined || found.revision < revision)
      throw new RatesUnavailableError(
        loadPlan === undefined ? `${about}; give loadPlan.` : `${about}, and loadPlan an older one or none.`,
        { applied: "no" },
      );
    return remember({ id, revision: found.revision, plan: found.plan });
  }

  return {
    newest: remember,
    load(id, revision) {
      let answer = loading.get(id);
      if (answer === undefined) {
        answer = ask(id, revision).finally(() => loading.delete(id));
        loading.set(id, answer);
      }
      return answer;
    },
    pathSheet(plan, leafId) {
      const ofPlan = sheets.get(plan) ?? new Map<string, RatePlanSheet>();
      sheets.set(plan, ofPlan);
      let sheet = ofPlan.get(leafId);
      if (sheet === undefined) {
        sheet = ratePlanSheet(ratePathFrom(plan, leafId));
        if (ofPlan.size >= MAX_PATHS) ofPlan.clear();
        ofPlan.set(leafId, sheet);
      }
      return sheet;
    },
    treeSheet(plan) {
      const sheet = trees.get(plan) ?? ratePlanSheet([...plan.nodes.values()]);
      trees.set(plan, sheet);
      return sheet;
    },
  };
}

function check({ id, revision }: RevisedRatePlan): void {
  const found = idProblem(id);
  if (found !== undefined) throw new QuotaConfigError({ field: "id", ...found });
  if (Number.isSafeInteger(revision) && revision >= 0 && revision < Number.MAX_SAFE_INTEGER) return;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "revision",
    problem: `${String(revision)} is no revision.`,
    remedy: "Count changes of the plan, in whole numbers from 0.",
  });
}
