import { GRAINS_PER_UNIT } from "./units.js";

/** A rise of the provider's percentage, and what it is spread over. */
export interface RiseQuestion {
  /** How much the percentage rose: whole grains of percent, above 0. */
  readonly rise: number;
  /** What each key has used since the last rise: whole priced tokens (or tokens, or requests, but one of them for all). Below 0 counts as 0. */
  readonly demands: readonly number[];
  /** What the learned rate says that all of this demand is worth, in grains of percent; undefined while nothing is learned. */
  readonly explained?: number | undefined;
}

/** Whose a rise is, in whole grains of percent. Together `parts` and `outside` are the rise, exactly. */
export interface AttributedRise {
  /** Aligned with the demands; none is below 0. */
  readonly parts: readonly number[];
  /** Used around the gateway: what no demand of ours explains. */
  readonly outside: number;
}

/**
 * A rise is ours until it is more than this many times what our demand explains. Wide, since the rate is an estimate, and a key may
 * have turned to a model whose price is unknown.
 */
const MOST_TIMES_EXPLAINED = 3;

/** And a percent point more than that, since providers round to whole percents: the first rise after a little demand is one. */
const ROUNDED_AWAY = GRAINS_PER_UNIT.percent;

/**
 * Spreads a rise of the provider's percentage over the keys, by their demand since the last rise.
 *
 * Parts are whole grains by largest remainder (Hamilton's method): each part is its exact quota rounded down, and what is left goes, a
 * grain each, to the largest remainders; ties to whoever comes first. Without any demand the whole rise is `outside`. Where it is far
 * above what the demand explains (more than 3 × `explained` and a percent point), our demand is charged `explained`, and the rest is `outside`.
 *
 * @example
 * attributeRise({ rise: 1_000_000, demands: [40_000, 20_000, 0] }); // { parts: [666_667, 333_333, 0], outside: 0 }
 * attributeRise({ rise: 9_000_000, demands: [40_000], explained: 2_000_000 }); // { parts: [2_000_000], outside: 7_000_000 }
 */
export function attributeRise({ rise, demands, explained }: RiseQuestion): AttributedRise {
  const wanted = demands.map((demand) => (demand > 0 ? demand : 0));
  if (rise <= 0 || wanted.every((demand) => demand === 0))
    return { parts: demands.map(() => 0), outside: rise };
  const ours =
    explained !== undefined && rise > MOST_TIMES_EXPLAINED * explained + ROUNDED_AWAY
      ? Math.max(0, Math.ceil(explained))
      : rise;
  return { parts: byLargestRemainder(ours, wanted), outside: rise - ours };
}

function byLargestRemainder(amount: number, wanted: readonly number[]): readonly number[] {
  const quotas = quotasOf(amount, wanted);
  const parts = quotas.map(({ whole }) => whole);
  const left = amount - parts.reduce((sum, part) => sum + part, 0);
  const largest = quotas
    .map(({ rest }, position) => ({ rest, position }))
    .sort((a, b) => (a.rest === b.rest ? a.position - b.position : a.rest > b.rest ? -1 : 1))
    .slice(0, left);
  for (const { position } of largest) parts[position]! += 1;
  return parts;
}

/** `amount × demand / sum` as a whole number and a remainder, which are exact: in doubles where they can hold the product. */
function quotasOf(
  amount: number,
  wanted: readonly number[],
): readonly { readonly whole: number; readonly rest: number | bigint }[] {
  const sum = wanted.reduce((total, demand) => total + demand, 0);
  if (Number.isSafeInteger(amount * sum))
    return wanted.map((demand) => {
      const rest = (amount * demand) % sum;
      return { whole: (amount * demand - rest) / sum, rest };
    });
  const exactSum = wanted.reduce((total, demand) => total + BigInt(demand), 0n);
  return wanted.map((demand) => {
    const product = BigInt(amount) * BigInt(demand);
    return { whole: Number(product / exactSum), rest: product % exactSum };
  });
}
