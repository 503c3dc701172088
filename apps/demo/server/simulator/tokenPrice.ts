/** What an answer used, each token in exactly one of the four. */
export interface TokenCounts {
  /** Neither read from the prompt cache nor written to it. */
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What a token of each kind weighs, in tokens of fresh input of an ordinary model. */
export interface TokenPrices extends TokenCounts {
  /** How many times an ordinary model's price other models have, by their name. */
  readonly models: Readonly<Record<string, number>>;
}

/**
 * What a provider subtracts from a percentage's budget. Exact: parts of an answer add up to the answer, and nothing is rounded.
 *
 * @example
 * tokenPrice({ input: 100, cachedInput: 1000, cacheWrite: 0, output: 50 }, { prices: defaultTokenPrices(), model: "any" }); // 500
 */
export function tokenPrice(
  tokens: TokenCounts,
  { prices, model }: { readonly prices: TokenPrices; readonly model: string },
): number {
  const { input, cachedInput, cacheWrite, output } = prices;
  const price =
    tokens.input * input +
    tokens.cachedInput * cachedInput +
    tokens.cacheWrite * cacheWrite +
    tokens.output * output;
  return price * (Object.hasOwn(prices.models, model) ? prices.models[model]! : 1);
}

export function noTokens(): TokenCounts {
  return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };
}

/** What a gateway assumes that is told nothing (`DEFAULT_TOKEN_PRICES`); said again here, since no provider asks a gateway for its prices. */
export function defaultTokenPrices(): TokenPrices {
  return { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 6, models: {} };
}
