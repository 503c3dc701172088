import type { AmountsInGrains, EpochMs, WhenStoreFails } from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { askAdmission } from "./askAdmission.js";
import { verdictInWindows, type DecidedAdmission } from "./decideAdmission.js";
import type { LivePool } from "./governedPools.js";
import { createLastKnownUse, type Reading } from "./lastKnownUse.js";
import { generationAt, type HeldLease, type LeaseBook, type LeaseTerms } from "./leaseBook.js";
import { createOutageBudget } from "./outageBudget.js";
import type { Admission } from "./quotaEngine.js";
import { NOTHING, type UnwrittenUse } from "./rememberedUse.js";
import { amountsOn, settlementAdditions, type Additions } from "./settlementStep.js";
import type { StoreWatch } from "./storeWatch.js";
import type { UsageStore } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** What becomes of requests, and of what they use, while the store is away. */
export interface OutagePolicy {
  /** Asks the store; what it shows is remembered where that is what requests will be judged on. */
  decide(question: AdmissionQuestion, now: EpochMs): Promise<DecidedAdmission | typeof MOVED>;
  /** The answer to a request for which the store failed. */
  admit(request: FailedRequest, now: EpochMs): Promise<Admission>;
  /** A lease ends; whether what it used counts against a budget until it is written. */
  ending(held: HeldLease, actual: AmountsInGrains, now: EpochMs): boolean;
  written(use: UnwrittenUse, settled: Settled, now: EpochMs): void;
  /** A window has changed: what is counted in it lies elsewhere now. */
  moved(live: LivePool, step: Reading, now: EpochMs): void;
  /** `again`: it was not written before this, either. */
  unwritten(
    use: UnwrittenUse,
    settled: Omit<Settled, "before"> & { readonly again: boolean },
    now: EpochMs,
  ): void;
  lost(use: UnwrittenUse): void;
}

export interface FailedRequest extends Omit<LeaseTerms, "judged" | "generation"> {
  /** Undefined where it could not even be put. */
  readonly question: AdmissionQuestion | undefined;
  readonly cause: unknown;
}

/** What a settlement was to add, to amounts that stood at `before`. */
interface Settled {
  readonly live: LivePool;
  readonly additions: Additions;
  readonly before: readonly number[];
}

const CONSEQUENCES = {
  allow: "requests pass unjudged",
  deny: "requests are answered 503",
  "last-known": "requests are judged on what was last known",
  budget: "requests pass unjudged within a budget, and are then answered 503",
} as const;

export function createOutagePolicy(tools: {
  readonly store: UsageStore;
  readonly leases: LeaseBook;
  readonly watch: StoreWatch;
  readonly leaseMs: number;
  /** For pools that do not say. */
  readonly whenStoreFails: WhenStoreFails;
  readonly replicas: number;
}): OutagePolicy {
  const { store, leases, watch, leaseMs, whenStoreFails, replicas } = tools;
  const lastKnown = createLastKnownUse();
  const budgets = createOutageBudget(replicas);
  const budgeted = new WeakSet<object>();
  /** The generation in which a lease is held in what is known here, and not in the store. */
  const heldHere = new WeakMap<object, number>();

  const policyOf = (live: LivePool | undefined): WhenStoreFails =>
    live?.governed.pool.whenStoreFails ?? whenStoreFails;

  async function askedAndRemembered(
    question: AdmissionQuestion,
    now: EpochMs,
  ): Promise<DecidedAdmission | typeof MOVED> {
    const { live, sheet } = question;
    let shown: { readonly amounts: readonly number[]; readonly additions: readonly number[] } | undefined;
    const decision = await store.transact({
      ledger: live.ledger,
      counters: sheet.counters,
      now,
      decide(amounts) {
        const verdict = verdictInWindows(question, amounts, now);
        shown = { amounts: amounts.slice(), additions: verdict.additions };
        return verdict;
      },
    });
    if (shown !== undefined && decision !== MOVED)
      lastKnown.shown(live.ledger, { counters: sheet.counters, ...shown }, now);
    return decision;
  }

  return {
    decide(question, now) {
      const { ledger } = question.live;
      const policy = policyOf(question.live);
      if (policy === "last-known") return askedAndRemembered(question, now);
      const decision = askAdmission(store, question, now);
      if (typeof policy !== "object") return decision;
      return decision.then((decided) => {
        budgets.works(ledger);
        return decided;
      });
    },

    async admit({ caller, live, costs, question, cause }, now) {
      const policy = policyOf(live);
      watch.failed({
        cause,
        at: now,
        consequence: CONSEQUENCES[typeof policy === "object" ? "budget" : policy],
      });
      const open = { caller, live, costs, judged: "unjudged", generation: undefined } as const;
      const unavailable: Admission = {
        decision: { status: "unavailable", allowed: false, cause, dimensions: [] },
      };
      if (policy === "last-known") {
        // What cannot be found cannot be judged.
        if (question === undefined) return unavailable;
        const { decision } = await lastKnown.judge(question, now);
        if (!decision.allowed) return { decision };
        const lease = leases.open(open);
        heldHere.set(lease, generationAt(leaseMs, now));
        return { decision, lease };
      }
      if (policy === "deny") return unavailable;
      if (typeof policy === "object") {
        if (live === undefined || !budgets.take({ live, costs, budget: policy.budget }, now))
          return unavailable;
      }
      const lease = leases.open(open);
      if (typeof policy === "object") budgeted.add(lease);
      return { decision: { status: "unjudged", allowed: true, cause, dimensions: [] }, lease };
    },

    ending(held, actual, now) {
      const { live, caller, costs } = held;
      if (live === undefined) return false;
      const generation = heldHere.get(held);
      if (generation !== undefined) {
        const hold = { estimate: costs, generation };
        const back = settlementAdditions(
          { live, apiKeyId: caller.apiKeyId, actual: NOTHING, hold },
          leaseMs,
          now,
        );
        lastKnown.added(live.ledger, back, now);
      }
      if (!budgeted.delete(held)) return false;
      budgets.replace(live.ledger, { taken: costs, actual });
      return true;
    },

    written(use, { live, additions, before }, now) {
      if (use.budgeted === true) budgets.written(live.ledger, use.actual);
      if (policyOf(live) !== "last-known" || additions.counters.length === 0) return;
      lastKnown.shown(
        live.ledger,
        { counters: additions.counters, amounts: before, additions: amountsOn(additions, before) },
        now,
      );
    },

    moved(live, step, now) {
      if (policyOf(live) === "last-known") lastKnown.shown(live.ledger, step, now);
    },

    unwritten(_use, { live, additions, again }, now) {
      if (!again && policyOf(live) === "last-known") lastKnown.added(live.ledger, additions, now);
    },

    lost(use) {
      if (use.budgeted === true && use.live !== undefined) budgets.lost(use.live.ledger, use.actual);
    },
  };
}
