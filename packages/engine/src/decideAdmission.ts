import {
  decideFairShare,
  standingOf,
  verdictBounds,
  type Allowed,
  type AmountsInGrains,
  type Deprioritized,
  type DimensionName,
  type DimensionQuestion,
  type EpochMs,
  type FairShareQuestion,
  type Refused,
  type Signal,
  type Standing,
} from "@quota/core";
import type { LivePool } from "./governedPools.js";
import type { CounterSheet, PoolMoment } from "./poolMoment.js";
import type { Verdict } from "./usageStore.js";

/** One request to one pool, ready to be decided on whatever the store shows. */
export interface AdmissionQuestion {
  readonly status: "question";
  readonly live: LivePool;
  readonly moment: PoolMoment;
  readonly sheet: CounterSheet;
  readonly standing: Standing;
  readonly costs: AmountsInGrains;
  readonly saturationThreshold: number | undefined;
  readonly signals: ReadonlyMap<DimensionName, Signal> | undefined;
}

/** Puts the question for a caller, or says that the pool admits allocated keys only. */
export function admissionQuestion(
  asked: {
    readonly live: LivePool;
    readonly apiKeyId: string;
    readonly costs: AmountsInGrains;
    readonly saturationThreshold: number | undefined;
    readonly signals: ReadonlyMap<DimensionName, Signal> | undefined;
  },
  now: EpochMs,
): AdmissionQuestion | Refused {
  const { live, apiKeyId, costs, signals } = asked;
  const standing = standingOf(live.governed, apiKeyId);
  if (standing === "not-allocated")
    return { status: "refused", allowed: false, reason: "not-allocated", dimensions: [] };
  const moment = live.momentAt(now);
  const saturationThreshold = live.governed.pool.saturationThreshold ?? asked.saturationThreshold;
  return {
    status: "question",
    live,
    moment,
    sheet: moment.sheetOf(apiKeyId),
    standing,
    costs,
    saturationThreshold,
    signals,
  };
}

/** The rule's answer on a reading of the sheet's counters. Pure. */
export function decideOn(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): { readonly asked: FairShareQuestion; readonly decision: Allowed | Deprioritized | Refused } {
  const { moment, standing, costs, signals } = question;
  const dimensions: DimensionQuestion[] = [];
  let offset = 0;
  for (let i = 0; i < moment.dimensions.length; i += 1) {
    const { dimension, buckets } = moment.dimensions[i]!;
    const size = buckets.length;
    dimensions.push({
      dimension,
      used: { buckets, amounts: amountsFromZero(amounts, offset, size) },
      total: { buckets, amounts: amounts.slice(offset + size, offset + 2 * size) },
      cost: costs[dimension.unit] ?? 0,
      share: standing.shares[i],
      cap: standing.caps[i],
      signal: signals?.get(dimension.name),
    });
    offset += 2 * size;
  }
  const asked = { policy: standing.policy, saturationThreshold: question.saturationThreshold, dimensions };
  return { asked, decision: decideFairShare(asked, now) };
}

/** What an admission asks of the store: hold the estimate if the rule allows it, change nothing otherwise. Pure. */
export function admissionVerdict(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): Verdict<Allowed | Deprioritized | Refused> {
  const { asked, decision } = decideOn(question, amounts, now);
  const additions = new Array<number>(amounts.length).fill(0);
  if (!decision.allowed) return { result: decision, additions };
  let offset = 0;
  for (const { dimension, buckets, heldAt } of question.moment.dimensions) {
    const cost = question.costs[dimension.unit] ?? 0;
    additions[offset + heldAt] = cost;
    additions[offset + buckets.length + heldAt] = cost;
    offset += 2 * buckets.length;
  }
  const allowance = Object.create(ALLOWANCE) as { -readonly [member in keyof Allowance]: Allowance[member] };
  allowance.result = decision;
  allowance.additions = additions;
  allowance.asked = asked;
  allowance.now = now;
  return allowance;
}

/** A verdict that lets a request pass, with what its bounds are worked out from. */
interface Allowance extends Verdict<Allowed | Deprioritized> {
  readonly asked: FairShareQuestion;
  readonly now: EpochMs;
}

/** The bounds are worked out when a store asks for them; most never do. One getter for all, since making one for each verdict costs as much as deciding. */
const ALLOWANCE: Pick<Allowance, "holdsUpTo"> & ThisType<Allowance> = {
  get holdsUpTo() {
    const bounds: number[] = [];
    for (const { used, total } of verdictBounds(this.asked, this.result, this.now) ?? [])
      bounds.push(...used, ...total);
    return bounds;
  },
};

/** A key's amounts below 0 (a hold that had evaporated was given back) are read as 0; everybody's are signed. */
export function amountsFromZero(amounts: readonly number[], from: number, size: number): readonly number[] {
  const slice = new Array<number>(size);
  for (let i = 0; i < size; i += 1) slice[i] = Math.max(0, amounts[from + i]!);
  return slice;
}
