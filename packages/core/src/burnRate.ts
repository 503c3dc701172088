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

/** How much the newest slope weighs. */
const ALPHA = 0.3;

/**
 * How fast a limit is being used up, as an exponential moving average (alpha 0.3, seeded with the first slope) over the
 * successive slopes between samples; the average is floored at 0. A window that lets go of old use gives negative
 * slopes, which count. A step that takes no time, goes back in time (a clock was set) or has no finite slope is skipped.
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
  const perSecond = Math.max(0, averageSlope(samples) ?? 0);
  const usedNow = used ?? samples.at(-1)?.used;
  if (perSecond === 0 || limit === "unknown" || usedNow === undefined)
    return { perSecond, timeToExhaustionMs: null };
  const lasts = (Math.max(0, limit - usedNow) / perSecond) * 1000;
  return { perSecond, timeToExhaustionMs: Number.isFinite(lasts) ? lasts : null };
}

function averageSlope(samples: readonly BurnSample[]): number | undefined {
  let average: number | undefined;
  for (let i = 1; i < samples.length; i += 1) {
    const from = samples[i - 1]!;
    const to = samples[i]!;
    const seconds = (to.at - from.at) / 1000;
    const slope = (to.used - from.used) / seconds;
    if (seconds <= 0 || !Number.isFinite(slope)) continue;
    average = average === undefined ? slope : ALPHA * slope + (1 - ALPHA) * average;
  }
  return average;
}
