import { grains, toGrains, type Grains } from "./grains.js";
import { GRAINS_PER_UNIT, type Unit } from "./units.js";

/** What a request costs, in units. What is left out is not known: `requests` is then 1. */
export interface Amounts {
  readonly requests?: number | undefined;
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
  /** Percent of the provider's window, 0 to 100. */
  readonly percent?: number | undefined;
  /**
   * What the tokens weigh by price, in tokens of fresh input of the reference model (`pricedTokens`). Not a unit: no limit counts
   * it; it only decides how a rise of a percentage is spread over the keys.
   */
  readonly pricedTokens?: number | undefined;
}

/** {@link Amounts} in grains; undefined where nothing is known. */
export type AmountsInGrains = Readonly<Record<Unit | "pricedTokens", Grains | undefined>>;

/**
 * Turns what a request really cost into grains. `pricedTokens` are weighed and not counted: they are rounded up.
 *
 * @throws {InvalidAmountError} naming the member, for anything that cannot be counted exactly.
 * @example
 * amountsInGrains({ tokens: 1200, usd: 0.0042 }, "actual"); // { requests: undefined, tokens: 1200, usd: 4_200_000, percent: undefined, … }
 */
export function amountsInGrains(amounts: Amounts, field: string): AmountsInGrains {
  const { percent, requests, tokens, usd, pricedTokens } = amounts;
  return {
    percent: percent === undefined ? undefined : wholeGrains("percent", percent, field),
    requests: requests === undefined ? undefined : wholeGrains("requests", requests, field),
    tokens: tokens === undefined ? undefined : wholeGrains("tokens", tokens, field),
    usd: usd === undefined ? undefined : wholeGrains("usd", usd, field),
    pricedTokens: pricedTokens === undefined ? undefined : wholeTokens(pricedTokens, field),
  };
}

/**
 * Turns an estimate into grains. Estimates may be fractional (averages are); they are rounded up to the next grain.
 * `requests` is 1 unless given.
 *
 * @throws {InvalidAmountError} as {@link amountsInGrains} does, fractions excepted.
 */
export function estimateInGrains(estimate: Amounts, field: string): AmountsInGrains {
  const { percent, requests = 1, tokens, usd, pricedTokens } = estimate;
  return {
    percent: percent === undefined ? undefined : wholeGrains("percent", percent, field),
    requests: wholeGrains("requests", roundedUp(requests), field),
    tokens: tokens === undefined ? undefined : wholeGrains("tokens", roundedUp(tokens), field),
    usd: usd === undefined ? undefined : wholeGrains("usd", usd, field),
    pricedTokens: pricedTokens === undefined ? undefined : wholeTokens(pricedTokens, field),
  };
}

/** On the path of every request: the name of the member is put together only for an error. */
function wholeGrains(unit: Unit, amount: number, field: string): Grains {
  if (GRAINS_PER_UNIT[unit] === 1 && Number.isSafeInteger(amount) && amount > 0) return amount;
  return toGrains(unit, amount, `${field}.${unit}`);
}

/** What tokens weigh is seldom whole. */
function wholeTokens(pricedTokens: number, field: string): Grains {
  const whole = roundedUp(pricedTokens);
  return Number.isSafeInteger(whole) && whole > 0 ? whole : grains(whole, `${field}.pricedTokens`);
}

/** What is not a number above 0 is left as it is, to be refused. */
function roundedUp(amount: number): number {
  return typeof amount === "number" && amount > 0 ? Math.ceil(amount) : amount;
}
