import {
  plantRatePlan,
  plantRateScopes,
  ratePathFrom,
  type RatePlan,
  type RatePlanNode,
  type RatePlanNodeInput,
} from "@quota/core";
import {
  createRateAdmission,
  type RateAdmission,
  type RateAdmissionOptions,
  type RateDecision,
  type RatePlanRequest,
  type RevisedRatePlan,
  type Step,
  type UsageStore,
} from "@quota/engine";

/** The start of a UTC minute, in which the checks begin. */
export const MINUTE_START = 28_333_333 * 60_000;

/** A clock that is set by hand. */
export interface HandClock {
  now(): number;
  at: number;
}

export function handClock(): HandClock {
  return {
    at: MINUTE_START + 20_000,
    now() {
      return this.at;
    },
  };
}

/** A rate admission over a store, patient with a machine that is busy. */
export function ratesOver(
  store: UsageStore,
  options: Partial<Pick<RateAdmissionOptions, "clock" | "loadPlan">> = {},
): RateAdmission {
  return createRateAdmission({ store, clock: handClock(), storeTimeoutMs: 60_000, ...options });
}

/** A planted plan under a name. */
export function revised(
  nodes: readonly RatePlanNodeInput[],
  revision = 1,
  id = "everybody",
): RevisedRatePlan {
  return { id, revision, plan: planted(nodes) };
}

function planted(nodes: readonly RatePlanNodeInput[]): RatePlan {
  const result = plantRatePlan({ nodes });
  if (!result.ok) throw new Error(result.faults.map(({ message }) => message).join(" "));
  return result.plan;
}

/** A request by one of the plan's nodes. */
export function by(leaf: string, asked: RevisedRatePlan): RatePlanRequest {
  return { ...asked, path: ratePathFrom(asked.plan, leaf) };
}

/** Asks again while neighbours are in the way: a store may say that it is contended, but not for ever. */
export async function patiently(ask: () => Promise<RateDecision>): Promise<RateDecision> {
  for (let attempt = 1; ; attempt += 1) {
    const decision = await ask();
    if (decision.allowed || decision.reason !== "contended" || attempt === 200) return decision;
  }
}

/** How many of so many requests, one after the other, are admitted. */
export async function admitted(times: number, ask: () => Promise<RateDecision>): Promise<number> {
  let passed = 0;
  for (let i = 0; i < times; i += 1) if ((await patiently(ask)).allowed) passed += 1;
  return passed;
}

/** `"yes"`, or the reason and whose limit it was. */
export function inWords(decision: RateDecision): string {
  if (decision.allowed) return "yes";
  const { node, limit, used, heldForChildren, requested } = decision.refusal ?? {};
  return `${decision.reason} ${node?.id ?? ""}: ${String(used)} + ${String(heldForChildren)} + ${String(requested)} > ${String(limit)}`;
}

/** A store that tells how many counters were read, and how many were changed, by the steps that were asked of it. */
export function watched(
  store: UsageStore,
): UsageStore & { readonly shown: () => number; readonly changed: () => number } {
  let shown = 0;
  let changed = 0;
  return {
    ...store,
    transact: <Result>(step: Step<Result>) => {
      let additions: readonly number[] = [];
      shown += step.counters.length;
      return store
        .transact({
          ...step,
          decide(amounts) {
            const verdict = step.decide(amounts);
            additions = verdict.additions;
            return verdict;
          },
        })
        .then((result) => {
          changed += additions.filter((addition) => addition !== 0).length;
          return result;
        });
    },
    shown: () => shown,
    changed: () => changed,
  };
}

/** An admission, with its lease. */
export function allowedOf(decision: RateDecision): Extract<RateDecision, { readonly allowed: true }> {
  if (decision.allowed) return decision;
  throw new Error(`It was refused: ${inWords(decision)}.`);
}

/** Scopes with these limits, called `scope 0` and so on. */
export function scopes(
  ...limits: readonly { readonly rpm?: number; readonly tpm?: number }[]
): readonly RatePlanNode[] {
  const result = plantRateScopes(
    limits.map((limit, i) => ({ id: `scope ${String(i)}`, kind: "scope", ...limit })),
  );
  if (!result.ok) throw new Error(result.faults.map(({ message }) => message).join(" "));
  return result.scopes;
}
