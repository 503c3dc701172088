import type { DimensionQuestion } from "./fairShareQuestion.js";
import { isKnown } from "./knownLimit.js";
import type { Use } from "./reading.js";
import type { EpochMs } from "./units.js";
import type { Bucket } from "./window.js";

/** The provider's own view of a window, as it was at a reading. */
export interface Signal {
  /** How full the window was: 0 to 1, and above. */
  readonly utilization: number;
  /** What we had counted ourselves when the provider said so, in grains. */
  readonly totalThen: number;
  /** When the reading stops to bind: the window's reset. Without it, it binds for good. */
  readonly until?: EpochMs | undefined;
}

/** What the provider saw beyond our count. */
export interface OutsideUse {
  /** In grains. */
  readonly amount: number;
  /** When it stops to bind: the window's reset. */
  readonly until: EpochMs;
}

/** Everybody's use and what the provider saw beyond our count, as one use. */
export function everyoneOf(
  asked: Pick<DimensionQuestion, "total" | "signal" | "outside" | "dimension">,
  now: EpochMs,
): Use {
  const outside = outsideOf(asked, now);
  if (outside === 0) return asked.total;
  const until = (asked.outside === undefined ? asked.signal?.until : asked.outside.until) ?? Infinity;
  const seen: Bucket = { holds: "settled", index: 0, fadesFrom: until, goneAt: until };
  const { total } = asked;
  if (typeof total !== "number")
    return { buckets: [...total.buckets, seen], amounts: [...total.amounts, outside] };
  const counted: Bucket = { holds: "settled", index: 0, fadesFrom: Infinity, goneAt: Infinity };
  return { buckets: [counted, seen], amounts: [total, outside] };
}

/** What the provider saw beyond our count, in grains; 0 where it said nothing, or where its window has been reset since. */
export function outsideOf(
  {
    signal,
    outside,
    dimension,
  }: Pick<DimensionQuestion, "signal" | "outside"> & {
    readonly dimension: Pick<DimensionQuestion["dimension"], "limit">;
  },
  now: EpochMs,
): number {
  if (outside !== undefined) return now >= outside.until ? 0 : outside.amount;
  if (signal === undefined || !isKnown(dimension.limit)) return 0;
  if (signal.until !== undefined && now >= signal.until) return 0;
  return outsideUse({ utilization: signal.utilization, limit: dimension.limit, totalThen: signal.totalThen });
}

/**
 * What a provider saw of a window beyond what we had counted ourselves by then, in grains: `utilization × limit − totalThen`, and
 * never below 0.
 */
export function outsideUse({
  utilization,
  limit,
  totalThen,
}: {
  readonly utilization: number;
  readonly limit: number;
  readonly totalThen: number;
}): number {
  return Math.max(0, utilization * limit - totalThen);
}
