import { isRecord } from "@quota/core";

/** What a provider says an answer took, in tokens. The parts are disjoint; `total` is everything that was processed. */
export interface MeasuredUsage {
  /** Prompt tokens that were read afresh: neither from nor into a cache. */
  readonly input: number;
  /** Prompt tokens that were read from a cache. */
  readonly cachedInput: number;
  /** Prompt tokens that were written into a cache. */
  readonly cacheWrite: number;
  /** Tokens that were produced, reasoning included. */
  readonly output: number;
  /** The part of `output` that was reasoning, where the provider says it. */
  readonly reasoning?: number;
  /** `input + cachedInput + cacheWrite + output`. */
  readonly total: number;
}

/**
 * Reads a `usage` object of any dialect (OpenAI chat, Responses and embeddings, Anthropic) by the names of its fields.
 *
 * OpenAI's `prompt_tokens` and the Responses API's `input_tokens` include what came from a cache, Anthropic's `input_tokens` leaves
 * it out; here the parts are always disjoint. Where a provider's `total_tokens` is above the sum of its parts (hidden reasoning),
 * the rest is output. A number that is not a whole number from 0 to 2^53 − 1 counts as missing, and 0 is a value.
 *
 * @returns `undefined` when there is no usage in it: not an object, no number that can be read, or a sum past a thousand million tokens.
 */
export function readUsage(usage: unknown): MeasuredUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = count(usage["prompt_tokens"]);
  const completion = count(usage["completion_tokens"]);
  const input = count(usage["input_tokens"]);
  const output = count(usage["output_tokens"]) ?? completion;
  const total = count(usage["total_tokens"]);
  const anthropicRead = count(usage["cache_read_input_tokens"]);
  const anthropicWrite = count(usage["cache_creation_input_tokens"]);
  const reasoning =
    count(member(usage["completion_tokens_details"], "reasoning_tokens")) ??
    count(member(usage["output_tokens_details"], "reasoning_tokens"));

  const cachesApart = prompt === undefined && (anthropicRead !== undefined || anthropicWrite !== undefined);
  if (cachesApart) {
    const parts = { input: input ?? 0, cachedInput: anthropicRead ?? 0, cacheWrite: anthropicWrite ?? 0 };
    return summed({ ...parts, output: output ?? 0, reasoning });
  }

  const whole = prompt ?? input;
  if (whole === undefined && output === undefined && total === undefined) return undefined;
  const wholeInput = whole ?? Math.max(0, (total ?? 0) - (output ?? 0));
  const details = usage["prompt_tokens_details"] ?? usage["input_tokens_details"];
  const read =
    count(member(details, "cached_tokens")) ??
    count(usage["prompt_cache_hit_tokens"]) ??
    count(usage["cached_tokens"]) ??
    anthropicRead ??
    0;
  const write = count(member(details, "cache_write_tokens")) ?? anthropicWrite ?? 0;
  const cachedInput = Math.min(read, wholeInput);
  const cacheWrite = Math.min(write, wholeInput - cachedInput);
  return summed({
    input: wholeInput - cachedInput - cacheWrite,
    cachedInput,
    cacheWrite,
    output: Math.max(output ?? 0, (total ?? 0) - wholeInput),
    reasoning,
  });
}

/**
 * No answer takes as many. Who says so is broken or lies, and is not believed: a thousand such answers would be more dollars than a ledger of 64 bits
 * holds, and everybody's spend would wait behind them.
 */
const MOST_TOKENS = 1e9;

function summed(parts: {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number | undefined;
}): MeasuredUsage | undefined {
  const { input, cachedInput, cacheWrite, output, reasoning } = parts;
  const total = input + cachedInput + cacheWrite + output;
  if (total > MOST_TOKENS) return undefined;
  const usage = { input, cachedInput, cacheWrite, output, total };
  return reasoning === undefined ? usage : { ...usage, reasoning: Math.min(reasoning, output) };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value + 0 : undefined;
}

function member(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}
