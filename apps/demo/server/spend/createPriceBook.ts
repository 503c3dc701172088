import { parseModelPrices, priceTokens, type ModelPrices, type NanoUsd, type SpentTokens } from "@quota/core";
import type { Connection } from "../connections.js";
import { listedPrices, type ListedPrices } from "./listedPrices.js";
import { ANY_MODEL, type ModelPriceSpec } from "./modelPriceSpec.js";

/** Whose model it is. */
export interface PricedModel {
  readonly connection: Pick<Connection, "provider" | "prices">;
  /** Empty where the request names none: what the owner says of any model is its price then. */
  readonly model: string;
}

/** What models cost: what the owner of a connection says, else the price list. */
export interface PriceBook {
  /** Exact, rounded once. */
  cost(priced: PricedModel & { readonly tokens: SpentTokens }, now: number): NanoUsd | "unpriced";
  /** No answer to a prompt of this size, with at most this much output, costs more: nothing may come from a cache, and all may go into one. */
  bound(
    priced: PricedModel & { readonly promptTokens: number; readonly outputTokens: number },
    now: number,
  ): NanoUsd | "unpriced";
}

/** Models that are remembered: their names are the clients' to choose. */
const MOST_MODELS = 1000;

/** Prices may depend on the time of day. */
const KEPT_MS = 60_000;

export function createPriceBook(): PriceBook {
  /** To look into the list takes longer than all the rest of a request. */
  let listed = new Map<string, ListedPrices | undefined>();
  let listedAt = Number.NEGATIVE_INFINITY;
  /** Of lists of prices, as they are multiplied. */
  const owners = new WeakMap<readonly ModelPriceSpec[], ReadonlyMap<string, ModelPrices>>();

  function fromList(provider: string, model: string, now: number): ListedPrices | undefined {
    if (Math.abs(now - listedAt) >= KEPT_MS || listed.size >= MOST_MODELS) {
      listed = new Map();
      listedAt = now;
    }
    if (model === "") return undefined;
    const name = JSON.stringify([provider, model]);
    if (!listed.has(name)) listed.set(name, listedPrices({ provider, model }, now));
    return listed.get(name);
  }

  function fromOwner(prices: readonly ModelPriceSpec[], model: string): ModelPrices | undefined {
    if (prices.length === 0) return undefined;
    let known = owners.get(prices);
    if (known === undefined) {
      known = new Map(prices.map((spec) => [spec.model, parsed(spec)]));
      owners.set(prices, known);
    }
    return known.get(model) ?? known.get(ANY_MODEL);
  }

  function pricesOf(
    { connection: { provider, prices }, model }: PricedModel,
    promptTokens: number,
    now: number,
  ): ModelPrices | undefined {
    return fromOwner(prices, model) ?? fromList(provider, model, now)?.of(promptTokens);
  }

  return {
    cost({ tokens, ...priced }, now) {
      const prices = pricesOf(priced, tokens.input + tokens.cachedInput + tokens.cacheWrite, now);
      return prices === undefined ? "unpriced" : priceTokens(tokens, prices);
    },
    bound({ promptTokens, outputTokens, ...priced }, now) {
      const prices = pricesOf(priced, promptTokens, now);
      if (prices === undefined) return "unpriced";
      const prompt = Math.max(
        ...(["input", "cachedInput", "cacheWrite"] as const).map((kind) =>
          priceTokens({ ...NOTHING, [kind]: promptTokens }, prices),
        ),
      );
      const written = { ...NOTHING, output: outputTokens };
      const output = Math.max(
        priceTokens(written, prices),
        priceTokens({ ...written, reasoning: outputTokens }, prices),
      );
      return Math.min(prompt + output, Number.MAX_SAFE_INTEGER);
    },
  };
}

const NOTHING: SpentTokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** What is kept was parsed when it was written. */
function parsed(spec: ModelPriceSpec): ModelPrices {
  const prices = parseModelPrices(spec);
  if (!prices.ok) throw new TypeError(`A price that is kept is none: ${prices.faults[0]!.message}`);
  return prices.value;
}
