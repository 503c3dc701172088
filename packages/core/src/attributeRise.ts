/** What a rise of the provider's percentage is spread over. */
export interface RiseQuestion {
  /** How much the percentage rose, in whole grains of percent. */
  readonly rise: number;
  /** What each key has used since the last rise, in whole priced tokens (or tokens, or requests). Below 0 counts as 0. */
  readonly demands: readonly number[];
  /** What the learned rate says this demand is worth, in grains of percent; undefined while nothing is learned. */
  readonly explained?: number | undefined;
}

/** Whose a rise is: `parts`, aligned with the demands, and `outside` add up to it exactly. */
export interface AttributedRise {
  readonly parts: readonly number[];
  /** Used around the gateway: what no demand of ours explains. */
  readonly outside: number;
}

/** A rise up to this many times what the demand explains is still put down to it: prices differ and rates are estimates. */
const MOST_TIMES_EXPLAINED = 3;
/** And one percent point on top, since providers round to whole percents. */
const ROUNDING = 1_000_000;

/**
 * Spreads a rise of the provider's percentage over the keys, by their demand since the last rise: by largest remainder, so
 * that parts are whole grains and add up exactly; ties go to whoever comes first.
 *
 * @example
 * attributeRise({ rise: 1_000_000, demands: [2, 1, 0] }); // { parts: [666_667, 333_333, 0], outside: 0 }
 */
export function attributeRise({ rise, demands, explained }: RiseQuestion): AttributedRise {
  const wanted = demands.map((demand) => BigInt(Math.max(0, demand)));
  const sum = wanted.reduce((total, demand) => total + demand, 0n);
  if (sum === 0n || rise <= 0) return { parts: demands.map(() => 0), outside: rise };
  const ours =
    explained !== undefined && rise > MOST_TIMES_EXPLAINED * explained + ROUNDING ? explained : rise;
  const parts = wanted.map((demand) => Number((BigInt(ours) * demand) / sum));
  const remainders = wanted.map((demand) => (BigInt(ours) * demand) % sum);
  const left = ours - parts.reduce((total, part) => total + part, 0);
  const byRemainder = remainders
    .map((remainder, i) => ({ remainder, i }))
    .sort((a, b) => (a.remainder === b.remainder ? a.i - b.i : a.remainder > b.remainder ? -1 : 1));
  for (const { i } of byRemainder.slice(0, left)) parts[i]! += 1;
  return { parts, outside: rise - ours };
}
