import type { EpochMs } from "../units.js";
import { readAnthropicApiKey } from "./anthropicApiKey.js";
import { readAnthropicUnified } from "./anthropicUnified.js";
import { readCodexHeaders } from "./codexHeaders.js";
import { createFindings } from "./findings.js";
import { readOpenAiHeaders } from "./openAiHeaders.js";
import { readOpenRouterHeaders } from "./openRouter.js";
import { familyOf } from "./providerFamily.js";
import type { ProviderReading } from "./providerReading.js";
import { readBody } from "./readBody.js";
import { readRetryAfter } from "./retryAfter.js";
import { sortHeaders, type HeadersLike } from "./sortHeaders.js";

/** A provider's answer to a request, or what its usage endpoint said. */
export interface ProviderAnswer {
  /** Who answered, as plans name providers: `"codex"`, `"anthropic"`, `"openai"`, … */
  readonly provider: string;
  /** The answer's HTTP status. */
  readonly status: number;
  readonly headers?: HeadersLike | undefined;
  /** The parsed JSON of the body, where there is one. */
  readonly body?: unknown;
  /** When the answer arrived, by our clock. */
  readonly receivedAt: EpochMs;
}

/** What an answer says of the account's limits. */
export interface ProviderSignals {
  readonly readings: readonly ProviderReading[];
  /** How long the provider asks to wait before the next request, in milliseconds. Absent: it asks for nothing. */
  readonly retryAfterMs?: number;
  /** What was not understood or not believed, a sentence each, naming the field. */
  readonly notes: readonly string[];
}

/**
 * What a provider's answer says of its account: how full which windows are, until when, and how long to wait.
 *
 * It reads what stands there and invents nothing: a field that is missing gives no reading, nonsense gives a note. The
 * scale of a number comes from the field it stands in, never from its size. It never throws, whatever is in the answer.
 *
 * @example
 * const signals = readProviderSignals({
 *   provider: "codex",
 *   status: 200,
 *   headers: { "X-Codex-Primary-Used-Percent": "42", "X-Codex-Primary-Window-Minutes": "300" },
 *   receivedAt: 0,
 * });
 * signals.readings.map(({ window, utilization }) => `${window}: ${utilization}`).join(); // "5h: 0.42"
 */
export function readProviderSignals(answer: ProviderAnswer): ProviderSignals {
  const findings = createFindings(answer);
  const sorted = sortHeaders(answer.headers, findings);
  const { apiKey, rateLimit, waits } = sorted;
  readCodexHeaders(sorted, findings);
  readAnthropicUnified(sorted, findings);
  if (apiKey !== undefined) readAnthropicApiKey(apiKey, findings);
  if (rateLimit !== undefined)
    if (familyOf(answer.provider) === "openrouter") readOpenRouterHeaders(rateLimit, findings);
    else readOpenAiHeaders(rateLimit, findings);
  if (waits !== undefined) readRetryAfter(waits, findings);
  if (answer.body !== undefined) readBody(answer.body, findings);
  return findings.signals();
}
