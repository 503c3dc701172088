import type { PercentRate } from "./learnRate.js";
import { GRAINS_PER_UNIT } from "./units.js";

/** No demand is worth more than the whole window: past it there is nothing left to guess. */
const WHOLE_WINDOW = 100 * GRAINS_PER_UNIT.percent;

/**
 * What demand that no rise has confirmed yet is worth by the learned rate: whole grains of percent, rounded up, one whole window at
 * most; 0 while nothing is learned. `demand` in what the rate was learned in; below 0 counts as 0.
 *
 * @example
 * provisionalPercent({ percent: 1_000_000, demand: 50_000 }, 1_000); // 20_000
 */
export function provisionalPercent(rate: PercentRate | undefined, demand: number): number {
  if (rate === undefined || !(demand > 0)) return 0;
  const product = demand * rate.percent;
  if (product >= WHOLE_WINDOW * rate.demand) return WHOLE_WINDOW;
  if (Number.isSafeInteger(product)) {
    const rest = product % rate.demand;
    return (product - rest) / rate.demand + Number(rest > 0);
  }
  const exact = BigInt(Math.ceil(demand)) * BigInt(rate.percent);
  const per = BigInt(rate.demand);
  return Math.min(WHOLE_WINDOW, Number((exact + per - 1n) / per));
}
