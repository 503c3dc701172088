import { burnCurve } from "./burnCurve.js";
import type { EpochMs } from "./units.js";

/** How much had been used at a moment. Cumulative; in any unit, the same for all. */
export interface BurnSample {
  readonly at: EpochMs;
  readonly used: number;
}

export interface BurnRateQuestion {
  /** Oldest first. */
  readonly samples: readonly BurnSample[];
  readonly limit: number | "unknown";
  /** What counts against the limit now; without it, the newest sample's use. */
  readonly used?: number;
}

export interface BurnRate {
  /** Units per second, never negative. */
  readonly perSecond: number;
  /** How long what remains lasts at that rate; 0 when nothing does, `null` when it cannot be told or never ends. */
  readonly timeToExhaustionMs: number | null;
}

/**
 * How fast a limit is being used up: the last point of {@link burnCurve}, an exponential moving average over the successive slopes between samples.
 *
 * With no usable step the rate is 0. At rate 0, or when the limit is `"unknown"`, there is no time to exhaustion.
 *
 * @example
 * computeBurnRate({
 *   samples: [
 *     { at: 0, used: 0 },
 *     { at: 10_000, used: 100 },
 *     { at: 20_000, used: 300 },
 *   ],
 *   limit: 1600,
 * }); // 10/s, then 20/s: { perSecond: 13, timeToExhaustionMs: 100_000 }
 */
export function computeBurnRate({ samples, limit, used }: BurnRateQuestion): BurnRate {
  const perSecond = burnCurve(samples).at(-1)?.perSecond ?? 0;
  const usedNow = used ?? samples.at(-1)?.used;
  if (perSecond === 0 || limit === "unknown" || usedNow === undefined)
    return { perSecond, timeToExhaustionMs: null };
  const lasts = (Math.max(0, limit - usedNow) / perSecond) * 1000;
  return { perSecond, timeToExhaustionMs: Number.isFinite(lasts) ? lasts : null };
}
