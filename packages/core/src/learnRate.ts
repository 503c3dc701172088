/** What demand costs, learned from rises: `percent / demand` grains of percent per priced token. Two decayed sums, both whole and above 0. */
export interface PercentRate {
  /** Grains of percent. */
  readonly percent: number;
  /** Priced tokens (or tokens, or requests: whatever the demand was counted in). */
  readonly demand: number;
}

/** How much of what was learned before is kept at every rise. */
const KEPT = 0.9;
/** One rise never makes the rate more than this many times larger or smaller. */
const MOST_TIMES = 4;

/**
 * Learns from a rise what demand costs. Exponentially weighted: older rises fade. A rise or a demand of 0 teaches nothing.
 *
 * @example
 * learnRate(undefined, { rise: 1_000_000, demand: 50_000 }); // { percent: 1_000_000, demand: 50_000 }
 */
export function learnRate(
  rate: PercentRate | undefined,
  { rise, demand }: { readonly rise: number; readonly demand: number },
): PercentRate | undefined {
  if (!(rise > 0 && demand > 0)) return rate;
  if (rate === undefined) return { percent: rise, demand };
  const seen = { percent: KEPT * rate.percent + rise, demand: KEPT * rate.demand + demand };
  const scale = Math.min(1, Number.MAX_SAFE_INTEGER / Math.max(seen.percent, seen.demand));
  const percent = Math.max(1, Math.floor(seen.percent * scale));
  const whole = Math.max(1, Math.floor(seen.demand * scale));
  const most = Math.floor(((MOST_TIMES * rate.percent) / rate.demand) * whole);
  const mostDemand = Math.floor(((MOST_TIMES * rate.demand) / rate.percent) * percent);
  return { percent: Math.max(1, Math.min(percent, most)), demand: Math.max(1, Math.min(whole, mostDemand)) };
}
