import { pricedTokens, type Amounts, type SpentTokens } from "@quota/core";
import type { QuotaRequest } from "@quota/engine";
import { measuredAmounts, type MeasuredAnswer, type MeasuredUsage, type RequestEstimate } from "@quota/http";
import type { QuotaOptions } from "./quotaOptions.js";

/** What is known of the cost of one answer, as `settlementOf` takes it. */
export interface Charge {
  readonly estimate: Amounts;
  /** What the provider, or the handler, said. */
  readonly usage: Amounts | undefined;
  /** What passed, where nobody said anything. */
  readonly produced: Amounts | undefined;
  /** The tokens that it is charged for, apart as they are priced; undefined where nobody knows which were the prompt. */
  readonly tokens: SpentTokens | undefined;
  /** What the memory of typical answers may learn from it. */
  readonly lesson: { readonly estimate: RequestEstimate; readonly usage: MeasuredUsage } | undefined;
}

/** Puts together what was estimated, measured and reported. */
export function chargeFor({
  asked,
  measured,
  reported,
  tokenPrices,
  costOf,
}: {
  readonly asked: Pick<QuotaRequest, "estimate">;
  readonly measured: MeasuredAnswer | undefined;
  readonly reported: Amounts | undefined;
  readonly tokenPrices?: QuotaOptions["tokenPrices"];
  /** What tokens cost, in USD, where that is known. */
  readonly costOf?: ((tokens: SpentTokens) => number | undefined) | undefined;
}): Charge {
  const { estimate = {} } = asked;
  const usage = measured?.usage;
  const tokens = tokensOf(estimate, measured);
  const { requests, usd, percent } = estimate;
  const split = measured === undefined || tokens === undefined ? undefined : splitOf(measured, tokens);
  const seen = split && {
    requests,
    tokens,
    usd: costOf?.(split) ?? usd,
    percent,
    pricedTokens: pricedTokens(split, isSplit(estimate) ? tokenPrices?.(estimate.model) : undefined),
  };
  return {
    estimate: { requests, tokens: estimate.tokens, usd, percent, pricedTokens: estimate.pricedTokens },
    usage: reported ?? (usage === undefined ? undefined : seen),
    produced: usage === undefined ? seen : undefined,
    tokens: reported === undefined && split !== undefined ? split : estimatedSplit(estimate, reported),
    lesson:
      usage !== undefined && measured?.ended === true && isSplit(estimate) ? { estimate, usage } : undefined,
  };
}

function tokensOf(estimate: Amounts, measured: MeasuredAnswer | undefined): number | undefined {
  if (measured === undefined) return undefined;
  if (measured.usage !== undefined || isSplit(estimate) || estimate.tokens === undefined)
    return measuredAmounts({ measured, promptTokens: isSplit(estimate) ? estimate.promptTokens : 0 }).tokens;
  // Which part of the estimate was the prompt is not known, so what was produced cannot be added to it.
  return Math.max(estimate.tokens, measured.produced.tokens);
}

/** Where nobody says which part was the prompt, it is what was not produced. */
function splitOf({ usage, produced }: MeasuredAnswer, tokens: number): SpentTokens {
  const prompt = usage ?? { input: Math.max(0, tokens - produced.tokens), cachedInput: 0, cacheWrite: 0 };
  const { input, cachedInput, cacheWrite } = prompt;
  const output = tokens - input - cachedInput - cacheWrite;
  return { input, cachedInput, cacheWrite, output, reasoning: Math.min(usage?.reasoning ?? 0, output) };
}

/** Of a request that is charged as estimated. */
function estimatedSplit(estimate: Amounts, reported: Amounts | undefined): SpentTokens | undefined {
  if (!isSplit(estimate) || reported?.tokens !== undefined) return undefined;
  const { promptTokens: input, tokens } = estimate;
  return { input, cachedInput: 0, cacheWrite: 0, output: tokens - input, reasoning: 0 };
}

function isSplit(estimate: Amounts): estimate is RequestEstimate {
  return "countedPromptTokens" in estimate;
}
