import type { PercentRate } from "./learnRate.js";

/** A whole window, in grains of percent. */
const WHOLE_WINDOW = 100_000_000;

/**
 * What demand that no rise has confirmed yet is worth by the learned rate: whole grains of percent, rounded up, one whole window at
 * most; 0 while nothing is learned.
 *
 * @example
 * provisionalPercent({ percent: 1_000_000, demand: 50_000 }, 1_000); // 20_000
 */
export function provisionalPercent(rate: PercentRate | undefined, demand: number): number {
  if (rate === undefined || !(demand > 0)) return 0;
  const near = (demand * rate.percent) / rate.demand;
  if (near >= WHOLE_WINDOW) return WHOLE_WINDOW;
  const worth = BigInt(Math.ceil(demand)) * BigInt(rate.percent);
  const per = BigInt(rate.demand);
  return Math.min(WHOLE_WINDOW, Number((worth + per - 1n) / per));
}
