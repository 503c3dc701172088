import type { Amounts } from "@quota/core";
import type { MeasuredAnswer } from "./createMeter.js";

/**
 * What an answer is to be charged, in units: one request, and
 * - the provider's total, when its usage covers the whole answer;
 * - the provider's prompt with the larger of its output and what was seen to be produced, when the answer was cut off
 *   (Anthropic states the prompt first and the output last);
 * - the estimated prompt with what was seen to be produced, when the provider said nothing.
 *
 * Whether an answer is charged at all (an upstream error is not) is for the caller to say.
 */
export function measuredAmounts({
  measured,
  promptTokens,
}: {
  readonly measured: MeasuredAnswer;
  /** The prompt's estimate, for an answer without usage. */
  readonly promptTokens: number;
}): Amounts & { readonly requests: number; readonly tokens: number } {
  const { usage, produced, ended } = measured;
  if (usage === undefined) return { requests: 1, tokens: promptTokens + produced.tokens };
  if (ended) return { requests: 1, tokens: usage.total };
  return { requests: 1, tokens: usage.total - usage.output + Math.max(usage.output, produced.tokens) };
}
