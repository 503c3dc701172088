import { GRAINS_PER_UNIT, LAST_PART, reserveBound, reservedPart, type ReserveCurve } from "@quota/core";
import type { AllocationJson, DimensionUsageJson } from "@quota/http";

/** How what is reserved goes on over a window. Amounts are in units, moments are parts of the window, 0 to 1. */
export interface ReserveCourse {
  /** The most that may be reserved for all keys together, from the window's beginning to its end. */
  readonly bound: readonly Point[];
  /** What is reserved from now on, if nobody uses anything more. */
  readonly reserved: readonly Point[];
  /** What is never lent: the rest of it is, from {@link LAST_PART} on. */
  readonly kept: number;
}

export interface Point {
  readonly at: number;
  readonly amount: number;
}

/** Draws what the rule says of these numbers; undefined where the gateway told none, since no limit is known. */
export function reserveCourse({
  usage: { unit, limit, elapsed, reserved, perKey },
  curve,
  allocations,
}: {
  readonly usage: DimensionUsageJson;
  readonly curve: ReserveCurve;
  readonly allocations: readonly AllocationJson[];
}): ReserveCourse | undefined {
  if (limit === "unknown" || elapsed === undefined || reserved === undefined) return undefined;
  const perUnit = GRAINS_PER_UNIT[unit];
  const byKey = new Map(allocations.map((allocation) => [allocation.apiKeyId, allocation]));
  const keys = perKey.map(({ apiKeyId, fairShare = 0, reserve = 0 }) => {
    const { lend = true, lendingLimit } = byKey.get(apiKeyId) ?? {};
    const lent = lend ? (lendingLimit === undefined ? fairShare : (lendingLimit / 100) * limit) : 0;
    return { share: fairShare * perUnit, kept: Math.max(0, fairShare - lent) * perUnit, reserve };
  });
  const at = (moment: number, most: (bound: number, reserve: number) => number): Point => {
    const part = reservedPart(curve, moment);
    const amounts = keys.map((key) => most(reserveBound(key, part) / perUnit, key.reserve));
    return { at: moment, amount: amounts.reduce((sum, amount) => sum + amount, 0) };
  };
  const now = Math.min(1, Math.max(0, elapsed));
  const moments = Array.from({ length: STEPS + 1 }, (_, step) => (step / STEPS) * JUST_BEFORE);
  const ahead = [now, ...moments.filter((moment) => moment > now)];
  const end = [LAST_PART, 1];
  return {
    bound: [...moments, ...end].map((moment) => at(moment, (bound) => bound)),
    reserved: [...ahead, ...end.filter((moment) => moment > now)].map((moment) => at(moment, Math.min)),
    kept: keys.reduce((sum, { kept }) => sum + kept, 0) / perUnit,
  };
}

/** More are not to be told apart on a screen. */
const STEPS = 48;

/** The last moment of the curve, before all that is lent at all is. */
const JUST_BEFORE = LAST_PART - 1e-9;
