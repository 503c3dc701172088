/** The tokens that one answer used, apart as providers bill them; `MeasuredUsage` of `@quota/http` is one. */
export interface UsedTokens {
  /** Fresh input: neither read from a cache nor written to one. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What tokens cost, as multiples of the price of fresh input of the same model; and what that model costs. */
export interface TokenPrices {
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** The model's price of fresh input, as a multiple of that of the reference model, which is any one model of the connection. */
  readonly weight: number;
}

/**
 * What the price lists of 2025 and 2026 have in common, where the model's own prices are not given. Cached input: a tenth, at Anthropic
 * and in OpenAI's lists and Codex credits for the GPT-5 models. Cache writes: 1.25 at Anthropic (for 5 minutes; 2 for an hour), not charged
 * at OpenAI, which reports none. Output: 5 for Claude models, 6 for GPT-5.4 and 5.5, 8 for the GPT-5 and Codex models before them. Providers do not say
 * that subscriptions count as they charge, so these only have to be near: they decide how a rise is spread over keys, never how large it is.
 */
export const DEFAULT_TOKEN_PRICES: TokenPrices = Object.freeze({
  cachedInput: 0.1,
  cacheWrite: 1.25,
  output: 6,
  weight: 1,
});

/** What doubles add to a sum of products, at most: 3 × 0.1 is no reason to round up. */
const NOISE = 1e-6;

/**
 * What an answer weighs by price, in tokens of fresh input of the reference model: whole, rounded up, at least 1 where anything was used.
 *
 * @example
 * pricedTokens({ input: 1000, cachedInput: 8000, cacheWrite: 0, output: 500 }); // 4800
 * pricedTokens({ input: 1000, cachedInput: 8000, cacheWrite: 0, output: 500 }, { output: 8, weight: 0.2 }); // 1160
 */
export function pricedTokens(usage: UsedTokens, prices: Partial<TokenPrices> = {}): number {
  const {
    cachedInput = DEFAULT_TOKEN_PRICES.cachedInput,
    cacheWrite = DEFAULT_TOKEN_PRICES.cacheWrite,
    output = DEFAULT_TOKEN_PRICES.output,
    weight = DEFAULT_TOKEN_PRICES.weight,
  } = prices;
  const used = usage.input + usage.cachedInput + usage.cacheWrite + usage.output;
  if (used === 0) return 0;
  const tokens =
    usage.input + usage.cachedInput * cachedInput + usage.cacheWrite * cacheWrite + usage.output * output;
  return Math.max(1, Math.min(Math.ceil(tokens * weight - NOISE), Number.MAX_SAFE_INTEGER));
}
