import {
  curveOf,
  decideFairShare,
  provisionalPercent,
  verdictBounds,
  type Allowed,
  type Deprioritized,
  type DimensionDecision,
  type DimensionQuestion,
  type EpochMs,
  type FairShareQuestion,
  type PercentRate,
  type Refused,
  type ReserveLine,
  type ReserveQuestion,
  type ShadowDecision,
} from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { everyonesAmounts, keysAmounts, type DimensionMoment } from "./dimensionMoment.js";
import { heldIn } from "./held.js";
import type { PoolMoment } from "./poolMoment.js";
import type { Verdict } from "./usageStore.js";
import { MOVED } from "./windowState.js";

/** Every other key's reserve, aligned with the pool's dimensions; undefined where none are kept. */
export type OthersReserves = readonly (readonly ReserveLine[] | undefined)[];

/** An answer, and all that it was worked out from. */
export interface DecidedAdmission {
  readonly asked: FairShareQuestion;
  readonly decision: Allowed | Deprioritized | Refused;
  /** Where reserves are kept: what the rule that keeps them says, whether it decided or is only the pool's shadow. */
  readonly reserves: readonly DimensionDecision[] | undefined;
}

/**
 * The rule's answer on a reading of the sheet's counters, and the shadow rule's. Pure.
 *
 * @param others every other key's reserve, dimension by dimension, where all were looked at.
 */
export function decideOn(
  question: AdmissionQuestion,
  { amounts, others }: { readonly amounts: readonly number[]; readonly others?: OthersReserves | undefined },
  now: EpochMs,
): DecidedAdmission {
  const { moment, standing, costs } = question;
  const { lending, shadow } = moment.governed;
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
      most: standing.most[i],
      outside,
      reserve:
        each.reserve === undefined
          ? undefined
          : reserveQuestion({ question, each, i, amounts, offset, others: others?.[i] }),
      resetsAt: window?.resets ?? (dimension.shape.edge === "fixed" ? buckets[1]!.goneAt : undefined),
    });
    offset += each.reserve === undefined ? 2 * size : 4 * size;
  }
  const asked = {
    policy: standing.policy,
    saturationThreshold: question.saturationThreshold,
    lending: lending.rule,
    dimensions,
  };
  const decision = decideFairShare(asked, now);
  // Where a window rolls there is no reserve, and nothing to say of one.
  if (shadow === undefined || (shadow.rule === "reserve" && !moment.keepsAllReserves))
    return { asked, decision, reserves: lending.rule === "reserve" ? decision.dimensions : undefined };
  const shadowed = decideFairShare({ ...asked, lending: shadow.rule }, now);
  const { status } = shadowed;
  const told: ShadowDecision =
    shadowed.status === "refused"
      ? { lending: shadow, status: shadowed.status, reason: shadowed.reason, retryAt: shadowed.retryAt }
      : { lending: shadow, status: shadowed.status };
  const keeping = lending.rule === "reserve" ? decision : shadow.rule === "reserve" ? shadowed : undefined;
  // What is looked at without the others' reserves is too stern about what is lent.
  const isKnown = status !== "refused" || shadow.rule !== "reserve" || others !== undefined;
  return {
    asked,
    decision: isKnown ? { ...decision, shadow: told } : decision,
    reserves: keeping?.dimensions,
  };
}

function reserveQuestion(asked: {
  readonly question: AdmissionQuestion;
  readonly each: DimensionMoment;
  readonly i: number;
  readonly amounts: readonly number[];
  readonly offset: number;
  readonly others: readonly ReserveLine[] | undefined;
}): ReserveQuestion {
  const { question, each, i, amounts, offset, others } = asked;
  const { governed } = question.moment;
  const { buckets, provisionalAt, reserve } = each;
  const size = buckets.length;
  const spentFrom = offset + 2 * size;
  const lent = amounts.slice(spentFrom + size, spentFrom + 2 * size);
  // What is reckoned of a percentage is nobody's reserve, and is not written down as lent.
  if (provisionalAt >= 0)
    lent[provisionalAt] = everyonesAmounts(each, amounts, offset + size)[provisionalAt]!;
  return {
    curve: curveOf(governed),
    opens: reserve!.opens,
    resets: reserve!.resets,
    following: reserve!.following,
    kept: question.standing.kept[i] ?? 0,
    // What a key has spent of a share that it has no more is in no sum.
    spent:
      question.standing === governed.unallocated
        ? 0
        : { buckets, amounts: amounts.slice(spentFrom, spentFrom + size) },
    lent: { buckets, amounts: lent },
    sharedOut: governed.sharedOut[i] ?? 0,
    others,
  };
}

/** {@link admissionVerdict}, in the windows that the question was put in. Pure. */
export function verdictInWindows(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): Verdict<DecidedAdmission | typeof MOVED> {
  if (amounts[amounts.length - 1] === question.moment.revision)
    return admissionVerdict(question, amounts, now);
  return { result: MOVED, additions: new Array<number>(amounts.length).fill(0) };
}

/** What an admission asks of the store: hold the estimate if the rule allows it, change nothing otherwise. Pure. */
export function admissionVerdict(
  question: AdmissionQuestion,
  amounts: readonly number[],
  now: EpochMs,
): Verdict<DecidedAdmission> {
  const additions = new Array<number>(amounts.length).fill(0);
  const decided = decideOn(question, { amounts }, now);
  if (!decided.decision.allowed) return { result: decided, additions };
  addHolds(additions, question, decided);
  const allowance = Object.create(ALLOWANCE) as { -readonly [member in keyof Allowance]: Allowance[member] };
  allowance.result = decided;
  allowance.additions = additions;
  allowance.moment = question.moment;
  allowance.now = now;
  return allowance;
}

/** What is held for a request that may pass, for the key and for everybody; and what its reserve bears of it, and gives up. */
export function addHolds(
  additions: number[],
  { moment, costs }: AdmissionQuestion,
  { reserves }: Pick<DecidedAdmission, "reserves">,
): void {
  let offset = 0;
  for (let i = 0; i < moment.dimensions.length; i += 1) {
    const { dimension, buckets, settledAt, heldAt, reserve } = moment.dimensions[i]!;
    const size = buckets.length;
    const cost = heldIn(costs, dimension);
    additions[offset + heldAt] = cost;
    additions[offset + size + heldAt] = cost;
    if (reserve !== undefined) {
      const { decayed = 0, fromOwn = 0 } = reserves?.[i]?.reserve ?? {};
      additions[offset + 2 * size + settledAt] = decayed;
      additions[offset + 2 * size + heldAt] = fromOwn;
      additions[offset + 3 * size + settledAt] = -decayed;
      additions[offset + 3 * size + heldAt] = cost - fromOwn;
    }
    offset += reserve === undefined ? 2 * size : 4 * size;
  }
}

/** A verdict that lets a request pass, with what its bounds are worked out from. */
interface Allowance extends Verdict<DecidedAdmission> {
  readonly moment: PoolMoment;
  readonly now: EpochMs;
}

/** The bounds are worked out when a store asks for them; most never do. One getter for all, since making one for each verdict costs as much as deciding. */
const ALLOWANCE: Pick<Allowance, "holdsUpTo"> & ThisType<Allowance> = {
  get holdsUpTo() {
    return admissionBounds(this, this.result, this.now);
  },
};

/** How far the sheet's counters may have risen for an allowance to stand. */
export function admissionBounds(
  { moment }: Pick<AdmissionQuestion, "moment">,
  { asked, decision }: DecidedAdmission,
  now: EpochMs,
): readonly (number | undefined)[] {
  const bounds: (number | undefined)[] = [];
  (verdictBounds(asked, decision, now) ?? []).forEach(({ used, total, lent }, i) => {
    const each = moment.dimensions[i]!;
    const exactly = each.buckets.map(() => undefined);
    bounds.push(...(used === undefined ? exactly : asDemand(each, used)));
    if (lent === undefined) bounds.push(...asDemand(each, total));
    else bounds.push(...asDemand(each, withReckoned(each, total, lent)), ...exactly, ...lent);
  });
  // The ledger's windows must be those that the request was decided in.
  bounds.push(moment.revision);
  return bounds;
}

/** What is reckoned of a percentage is kept in one counter, and bound by both. */
function withReckoned(
  { provisionalAt: at }: DimensionMoment,
  total: readonly number[],
  lent: readonly number[],
): readonly number[] {
  return at < 0 ? total : total.with(at, Math.min(total[at]!, lent[at]!));
}

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
