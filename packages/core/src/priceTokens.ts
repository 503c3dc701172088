import type { ModelPrices } from "./modelPrices.js";
import type { NanoUsd } from "./nanoUsd.js";
import type { SpentTokens } from "./spendEvent.js";

/**
 * What tokens cost, exact, and rounded once at the end, half a nano-dollar up. Reasoning is the part of the output that has a price of its own; no
 * more of it is charged than there is output. What no number can say exactly costs 2^53 − 1 nano-dollars.
 *
 * @param tokens whole numbers, as `parseSpendEvent` lets them pass.
 * @example
 * priceTokens({ input: 1000, cachedInput: 0, cacheWrite: 0, output: 200, reasoning: 0 }, prices); // 6_000_000: 3 USD and 15 USD per million
 */
export function priceTokens(tokens: SpentTokens, prices: ModelPrices): NanoUsd {
  const reasoning = Math.min(tokens.reasoning, tokens.output);
  const millionths =
    times(tokens.input, prices.input) +
    times(tokens.cachedInput, prices.cachedInput) +
    times(tokens.cacheWrite, prices.cacheWrite) +
    times(tokens.output - reasoning, prices.output) +
    times(reasoning, prices.reasoning);
  const nanos = (millionths + MILLION / 2n) / MILLION;
  return nanos > MOST ? Number.MAX_SAFE_INTEGER : Number(nanos);
}

const MILLION = 1_000_000n;
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

function times(count: number, price: NanoUsd): bigint {
  return BigInt(count) * BigInt(price);
}
