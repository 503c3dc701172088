/** The tokens that one answer used, as providers bill them; `MeasuredUsage` of `@quota/http` is one. */
export interface UsedTokens {
  /** Fresh input: neither read from a cache nor written to one. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What tokens cost relative to one of fresh input, and what the model costs relative to the reference model. */
export interface TokenPrices {
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** The price of this model's fresh input, in that of the reference model. */
  readonly weight: number;
}

/** Prices as most lists have them. */
export const DEFAULT_TOKEN_PRICES: TokenPrices = Object.freeze({
  cachedInput: 0.1,
  cacheWrite: 1.25,
  output: 6,
  weight: 1,
});

/**
 * What an answer weighs, in tokens of fresh input of the reference model: whole, rounded up, at least 1 where anything was used.
 *
 * @example
 * pricedTokens({ input: 1000, cachedInput: 8000, cacheWrite: 0, output: 500 }); // 4800
 */
export function pricedTokens(usage: UsedTokens, prices: Partial<TokenPrices> = {}): number {
  const { cachedInput, cacheWrite, output, weight } = { ...DEFAULT_TOKEN_PRICES, ...prices };
  const tokens =
    usage.input + usage.cachedInput * cachedInput + usage.cacheWrite * cacheWrite + usage.output * output;
  return Math.min(Math.ceil(tokens * weight), Number.MAX_SAFE_INTEGER);
}
