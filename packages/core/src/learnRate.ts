/** What demand costs, as rises have taught it: `percent / demand` grains of percent per priced token. Both are decayed sums, whole and above 0. */
export interface PercentRate {
  /** Grains of percent. */
  readonly percent: number;
  /** Priced tokens (or tokens, or requests: what the demand was counted in). */
  readonly demand: number;
}

/**
 * How much of what was learned stays at every rise. Providers round to whole percents, so a rise is off by up to a percent point, and about
 * 1 / (1 − KEPT) rises count together. Twenty rises at 0.9 leave an error of 2 % in the middle and under 10 % nearly always; 0.8 is twice as
 * far off, and 0.95 follows a change of prices too late.
 */
const KEPT = 0.9;

/** A rise that would make the rate more than so many times larger, or smaller, teaches no more than that: it is the owner's, or a mistake. */
const MOST_TIMES = 4;

/**
 * What was learned from no more than so many rises like this one is forgotten where this one is far cheaper: the first percent point that a
 * provider shows may have been nearly full before our first request.
 */
const MOST_OF_A_FIRST_RISE = 2;

/**
 * Learns from a rise what demand costs: the sums of rises and of the demand before them, exponentially weighted, one step per rise. So a
 * rise weighs by the demand it stands for, and one rise, whatever it says, leaves the rate within a factor of 4.
 *
 * `rise` in whole grains of percent, `demand` in whole priced tokens since the rise before. Where either is not above 0 there is nothing to learn.
 *
 * @example
 * const first = learnRate(undefined, { rise: 1_000_000, demand: 50_000 }); // { percent: 1_000_000, demand: 50_000 }
 * learnRate(first, { rise: 2_000_000, demand: 110_000 }); // { percent: 2_900_000, demand: 155_000 }
 */
export function learnRate(
  rate: PercentRate | undefined,
  { rise, demand }: { readonly rise: number; readonly demand: number },
): PercentRate | undefined {
  if (!(rise > 0 && demand > 0)) return rate;
  if (rate === undefined) return { percent: rise, demand };
  const price = rate.percent / rate.demand;
  const taught = {
    percent: Math.min(rise, MOST_TIMES * price * demand),
    demand: Math.min(demand, (MOST_TIMES * rise) / price),
  };
  if (taught.demand < demand && rate.percent < MOST_OF_A_FIRST_RISE * rise) return wholeSums(taught);
  return wholeSums({
    percent: KEPT * rate.percent + taught.percent,
    demand: KEPT * rate.demand + taught.demand,
  });
}

/** Rounds the demand, and the percent with it, so that the quotient stays even where demand is a few requests; both can be counted. */
function wholeSums({ percent, demand }: PercentRate): PercentRate {
  const whole = wholeAbove0(demand);
  return { percent: wholeAbove0((percent / demand) * whole), demand: whole };
}

function wholeAbove0(sum: number): number {
  return Math.max(1, Math.min(Math.round(sum), Number.MAX_SAFE_INTEGER));
}
