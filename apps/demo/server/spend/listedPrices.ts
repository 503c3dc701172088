import { parseModelPrices, type ModelPrices } from "@quota/core";
import { calcPrice, findProvider } from "@pydantic/genai-prices";

/** What a model costs by the price list, at one moment. */
export interface ListedPrices {
  /** Some cost more from a size of the prompt on; all tokens of such a request do. */
  of(inputTokens: number): ModelPrices;
}

/** What is asked of the list. */
export interface ListedModel {
  /** As the connection names it. */
  readonly provider: string;
  readonly model: string;
}

/**
 * Asks the price list of the package `@pydantic/genai-prices`, as it came with this gateway. A provider that the list does not know is passed over, and
 * the model looked for among those of whoever makes it. What costs by the piece (searches, images, hours of sound) is not in it.
 *
 * @returns undefined where the list does not know the model, or says of it what no whole nano-dollar is.
 */
export function listedPrices({ provider, model }: ListedModel, now: number): ListedPrices | undefined {
  const listed = modelPriceOf({ provider, model }, now);
  if (listed === undefined) return undefined;
  const sizes = [0, ...startsOf(listed)].sort((a, b) => a - b);
  const steps: { readonly above: number; readonly prices: ModelPrices }[] = [];
  for (const above of sizes) {
    const prices = pricesAbove(listed, above);
    if (prices === undefined) return undefined;
    steps.push({ above, prices });
  }
  return {
    of: (inputTokens) => (steps.findLast(({ above }) => inputTokens > above) ?? steps[0]!).prices,
  };
}

type Listed = NonNullable<ReturnType<typeof calcPrice>>["model_price"];

/** The package takes a model's name for an expression here and there, and throws where its own data contradict each other. */
function modelPriceOf({ provider, model }: ListedModel, now: number): Listed | undefined {
  const name = OTHER_NAMES.get(provider) ?? provider;
  const providerId = findProvider({ providerId: name })?.id;
  try {
    const priced = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, {
      ...(providerId !== undefined && { providerId }),
      timestamp: new Date(now),
    });
    return priced?.model_price;
  } catch {
    return undefined;
  }
}

/** What the catalog of this gateway calls otherwise than the list. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["codex", "openai"],
  ["kimi", "moonshotai"],
  ["glm", "zai"],
]);

function startsOf(listed: Listed): readonly number[] {
  const starts = Object.values(listed).flatMap((price) =>
    typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)];
}

function pricesAbove(listed: Listed, size: number): ModelPrices | undefined {
  const at = (name: string): number | undefined => {
    const price = listed[name];
    if (typeof price !== "object") return price;
    return price.tiers.reduce((dearest, tier) => (size >= tier.start ? tier.price : dearest), price.base);
  };
  const input = at("input_mtok");
  const parsed = parseModelPrices({
    input: input ?? 0,
    cachedInput: at("cache_read_mtok"),
    cacheWrite: at("cache_write_mtok"),
    output: at("output_mtok") ?? 0,
    reasoning: at("output_reasoning_mtok"),
  });
  const hasTokens = input !== undefined || listed["output_mtok"] !== undefined;
  return hasTokens && parsed.ok ? parsed.value : undefined;
}
