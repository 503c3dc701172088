import {
  chargeBounds,
  chargeRates,
  decideRates,
  ratesBounds,
  rebuildRates,
  type RateRefusal,
  type RateSheet,
} from "@quota/core";
import type { Verdict } from "./usageStore.js";

/** What a step on a plan's ledger does once it may: ask for a request, or charge whatever the limits say. */
export type RatePlanWork =
  | { readonly kind: "ask"; readonly estimate: number }
  | { readonly kind: "charge"; readonly requests: number; readonly tokens: number };

export type RatePlanOutcome =
  | { readonly kind: "charged" }
  | { readonly kind: "refused"; readonly refusal: RateRefusal }
  /** The ledger knows a newer revision of the plan; nothing was written. */
  | { readonly kind: "newer"; readonly revision: number }
  /** This minute was charged under an older revision: the whole plan must be read first ({@link rebuildStep}). */
  | { readonly kind: "rebuild" };

export interface RatePlanStep {
  readonly revision: number;
  readonly sheet: RateSheet;
  readonly work: RatePlanWork;
}

/**
 * One step on the counters of a `ratePlanSheet`. The revision is part of the step: nothing is ever charged under an older one, and what
 * was decided under it does not stand once a newer one is known.
 *
 * A newer revision is written down even where it then refuses, so that no neighbour goes on under the older; that charges nobody.
 */
export function ratePlanVerdict(step: RatePlanStep, amounts: readonly number[]): Verdict<RatePlanOutcome> {
  const own = stored(step.revision);
  const newestAt = amounts.length - 2;
  const minuteAt = amounts.length - 1;
  const newest = amounts[newestAt]!;
  const minute = amounts[minuteAt]!;
  const known = Math.max(newest, minute);
  const none = (): number[] => new Array<number>(amounts.length).fill(0);
  if (known > own) return { result: { kind: "newer", revision: known - 1 }, additions: none() };
  if (minute > 0 && minute < own) return announced(own, amounts);

  const { result, additions } = outcomeOf(step, amounts);
  additions[newestAt] = own - newest;
  if (result.kind === "refused") return { result, additions };
  additions[minuteAt] = own - minute;
  return {
    result,
    additions,
    // Most stores never ask.
    get holdsUpTo() {
      const bounds = boundsOf(step, amounts);
      if (bounds === undefined || newest !== own) return undefined;
      bounds[newestAt] = own;
      bounds[minuteAt] = minute;
      return bounds;
    },
  };
}

/**
 * The same step on the counters of every limited node of the plan: first every `given` is made what the uses say, then the work is done. For
 * a minute that was charged under an older revision.
 *
 * @param step.sheet where the path stands among the counters of `whole`.
 */
export function rebuildStep(
  step: RatePlanStep & { readonly whole: RateSheet },
  amounts: readonly number[],
): Verdict<RatePlanOutcome> {
  const own = stored(step.revision);
  const minute = amounts[amounts.length - 1]!;
  const needed = minute > 0 && minute < own && amounts[amounts.length - 2]! <= own;
  if (!needed) return ratePlanVerdict(step, amounts);
  const rebuilt = rebuildRates({ sheet: step.whole, amounts });
  rebuilt[amounts.length - 1] = own - minute;
  const { result, additions } = ratePlanVerdict(
    step,
    amounts.map((amount, i) => amount + rebuilt[i]!),
  );
  return { result, additions: additions.map((addition, i) => addition + rebuilt[i]!) };
}

/** How a revision is counted: 0 is a ledger that nobody has charged yet. */
function stored(revision: number): number {
  return revision + 1;
}

/** Tells neighbours of the newer revision before the plan is rebuilt: from then on they stop changing what the rebuild reads. */
function announced(own: number, amounts: readonly number[]): Verdict<RatePlanOutcome> {
  const newestAt = amounts.length - 2;
  const additions = new Array<number>(amounts.length).fill(0);
  additions[newestAt] = own - amounts[newestAt]!;
  const holdsUpTo = new Array<number>(amounts.length).fill(Infinity);
  holdsUpTo[newestAt] = amounts[newestAt]!;
  holdsUpTo[amounts.length - 1] = own - 1;
  return { result: { kind: "rebuild" }, additions, holdsUpTo };
}

function outcomeOf(
  { sheet, work }: RatePlanStep,
  amounts: readonly number[],
): { readonly result: RatePlanOutcome; readonly additions: number[] } {
  if (work.kind === "charge")
    return { result: { kind: "charged" }, additions: chargeRates({ sheet, amounts, ...work }) };
  const answer = decideRates({ sheet, amounts, estimate: work.estimate });
  if (answer.allowed) return { result: { kind: "charged" }, additions: answer.additions };
  return {
    result: { kind: "refused", refusal: answer.refusal },
    additions: new Array<number>(amounts.length).fill(0),
  };
}

function boundsOf({ sheet, work }: RatePlanStep, amounts: readonly number[]): number[] | undefined {
  return work.kind === "charge"
    ? chargeBounds({ sheet, amounts, ...work })
    : ratesBounds({ sheet, amounts, estimate: work.estimate });
}
