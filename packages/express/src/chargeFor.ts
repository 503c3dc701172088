import { pricedTokens, type Amounts } from "@quota/core";
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
  /** What the memory of typical answers may learn from it. */
  readonly lesson: { readonly estimate: RequestEstimate; readonly usage: MeasuredUsage } | undefined;
}

/** Puts together what was estimated, measured and reported. */
export function chargeFor({
  asked,
  measured,
  reported,
  tokenPrices,
}: {
  readonly asked: Pick<QuotaRequest, "estimate">;
  readonly measured: MeasuredAnswer | undefined;
  readonly reported: Amounts | undefined;
  readonly tokenPrices?: QuotaOptions["tokenPrices"];
}): Charge {
  const { estimate = {} } = asked;
  const usage = measured?.usage;
  const tokens = tokensOf(estimate, measured);
  const { requests, usd, percent } = estimate;
  const seen =
    measured === undefined || tokens === undefined
      ? undefined
      : {
          requests,
          tokens,
          usd,
          percent,
          pricedTokens: pricedOf({ estimate, measured, tokens, tokenPrices }),
        };
  return {
    estimate: { requests, tokens: estimate.tokens, usd, percent, pricedTokens: estimate.pricedTokens },
    usage: reported ?? (usage === undefined ? undefined : seen),
    produced: usage === undefined ? seen : undefined,
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
function pricedOf(seen: {
  readonly estimate: Amounts;
  readonly measured: MeasuredAnswer;
  readonly tokens: number;
  readonly tokenPrices: QuotaOptions["tokenPrices"];
}): number {
  const { estimate, measured, tokens, tokenPrices } = seen;
  const { usage, produced } = measured;
  const prices = isSplit(estimate) ? tokenPrices?.(estimate.model) : undefined;
  const prompt = usage ?? { input: Math.max(0, tokens - produced.tokens), cachedInput: 0, cacheWrite: 0 };
  const { input, cachedInput, cacheWrite } = prompt;
  return pricedTokens(
    { input, cachedInput, cacheWrite, output: tokens - input - cachedInput - cacheWrite },
    prices,
  );
}

function isSplit(estimate: Amounts): estimate is RequestEstimate {
  return "countedPromptTokens" in estimate;
}
