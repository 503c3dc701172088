import type { BurnSample } from "./burnRate.js";

/** A sample, and how fast use was growing by then. */
export interface BurnPoint extends BurnSample {
  /** Units per second, never negative. */
  readonly perSecond: number;
}

/** How much the newest slope weighs. */
const ALPHA = 0.3;

/**
 * The burn rate as it was at every sample, aligned with them: an exponential moving average (alpha 0.3, seeded with the first slope) over the
 * successive slopes up to it, floored at 0 where it is shown. A window that lets go of old use gives negative slopes, which count. A step that
 * takes no time, goes back in time (a clock was set) or has no finite slope is skipped: the average stays what it was. Before the first usable
 * step it is 0.
 *
 * @example
 * burnCurve([
 *   { at: 0, used: 0 },
 *   { at: 10_000, used: 100 },
 *   { at: 20_000, used: 300 },
 * ]).map(({ perSecond }) => perSecond); // [0, 10, 13]
 */
export function burnCurve(samples: readonly BurnSample[]): readonly BurnPoint[] {
  let average: number | undefined;
  return samples.map(({ at, used }, i) => {
    const from = samples[i - 1];
    const slope = from === undefined ? NaN : slopeBetween(from, { at, used });
    if (Number.isFinite(slope))
      average = average === undefined ? slope : ALPHA * slope + (1 - ALPHA) * average;
    return { at, used, perSecond: Math.max(0, average ?? 0) };
  });
}

/** NaN where there is none. */
function slopeBetween(from: BurnSample, to: BurnSample): number {
  const seconds = (to.at - from.at) / 1000;
  return seconds > 0 ? (to.used - from.used) / seconds : NaN;
}
