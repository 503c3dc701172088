import {
  decideFairShare,
  provisionalPercent,
  verdictBounds,
  type Allowed,
  type Deprioritized,
  type DimensionQuestion,
  type EpochMs,
  type FairShareQuestion,
  type PercentRate,
  type Refused,
} from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { everyonesAmounts, keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import { heldIn } from "./held.js";
import type { PoolMoment } from "./poolMoment.js";
import type { Verdict } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** The rule's answer on a reading of the sheet's counters. Pure. */
export function decideOn(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): { readonly asked: FairShareQuestion; readonly decision: Allowed | Deprioritized | Refused } {
  const { moment, standing, costs } = question;
  const dimensions: DimensionQuestion[] = [];
  let offset = 0;
  for (let i = 0; i < moment.dimensions.length; i += 1) {
    const each = moment.dimensions[i]!;
    const { dimension, buckets, outside, window } = each;
    const size = buckets.length;
    dimensions.push({
      dimension,
      used: { buckets, amounts: keysAmounts(each, amounts, offset) },
      total: { buckets, amounts: everyonesAmounts(each, amounts, offset + size) },
      cost: heldIn(costs, dimension),
      share: standing.shares[i],
      cap: standing.caps[i],
      outside,
      resetsAt: window?.resets ?? (dimension.shape.edge === "fixed" ? buckets[1]!.goneAt : undefined),
    });
    offset += 2 * size;
  }
  const asked = { policy: standing.policy, saturationThreshold: question.saturationThreshold, dimensions };
  return { asked, decision: decideFairShare(asked, now) };
}

/** {@link admissionVerdict}, in the windows that the question was put in. Pure. */
export function verdictInWindows(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): Verdict<Allowed | Deprioritized | Refused | typeof MOVED> {
  if (amounts[amounts.length - 1] === question.moment.revision)
    return admissionVerdict(question, amounts, now);
  return { result: MOVED, additions: new Array<number>(amounts.length).fill(0) };
}

/** What an admission asks of the store: hold the estimate if the rule allows it, change nothing otherwise. Pure. */
export function admissionVerdict(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): Verdict<Allowed | Deprioritized | Refused> {
  const additions = new Array<number>(amounts.length).fill(0);
  const { asked, decision } = decideOn(question, amounts, now);
  if (!decision.allowed) return { result: decision, additions };
  let offset = 0;
  for (const { dimension, buckets, heldAt } of question.moment.dimensions) {
    const cost = heldIn(question.costs, dimension);
    additions[offset + heldAt] = cost;
    additions[offset + buckets.length + heldAt] = cost;
    offset += 2 * buckets.length;
  }
  const allowance = Object.create(ALLOWANCE) as { -readonly [member in keyof Allowance]: Allowance[member] };
  allowance.result = decision;
  allowance.additions = additions;
  allowance.asked = asked;
  allowance.moment = question.moment;
  allowance.now = now;
  return allowance;
}

/** A verdict that lets a request pass, with what its bounds are worked out from. */
interface Allowance extends Verdict<Allowed | Deprioritized> {
  readonly asked: FairShareQuestion;
  readonly moment: PoolMoment;
  readonly now: EpochMs;
}

/** The bounds are worked out when a store asks for them; most never do. One getter for all, since making one for each verdict costs as much as deciding. */
const ALLOWANCE: Pick<Allowance, "holdsUpTo"> & ThisType<Allowance> = {
  get holdsUpTo() {
    const bounds: number[] = [];
    (verdictBounds(this.asked, this.result, this.now) ?? []).forEach(({ used, total }, i) => {
      const moment = this.moment.dimensions[i]!;
      bounds.push(...asDemand(moment, used), ...asDemand(moment, total));
    });
    // The ledger's windows must be those that the request was decided in.
    bounds.push(this.moment.revision);
    return bounds;
  },
};

/** Demand is shown to the rule as the percent it is worth; a bound on that is one on the demand. */
function asDemand({ provisionalAt, rate }: DimensionMoment, bounds: readonly number[]): readonly number[] {
  if (provisionalAt < 0) return bounds;
  const worth = bounds[provisionalAt]!;
  return bounds.with(provisionalAt, rate === undefined ? Infinity : mostDemandWorth(rate, worth));
}

/** The largest demand that is worth no more than this. */
function mostDemandWorth(rate: PercentRate, worth: number): number {
  if (worth === Infinity) return Infinity;
  let most = Math.floor((Math.max(0, worth) * rate.demand) / rate.percent);
  while (most > 0 && provisionalPercent(rate, most) > worth) most -= 1;
  return most;
}
