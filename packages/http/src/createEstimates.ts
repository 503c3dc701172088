import { isRecord, pricedTokens, type Amounts } from "@quota/core";
import { createTypicalOutputs } from "./createTypicalOutputs.js";
import { estimateTokens } from "./estimateTokens.js";
import { outputLimit } from "./outputLimit.js";
import { parseJson } from "./parseJson.js";
import type { MeasuredUsage } from "./readUsage.js";
import { tokensInText } from "./tokensInText.js";

/** A request before it is sent. */
export interface RequestToEstimate {
  readonly apiKeyId: string;
  /** The body: its bytes or text (JSON), or the parsed value. */
  readonly body: unknown;
  /** The model that will answer; the body's `model` if it is not given. */
  readonly model?: string | undefined;
  /** The path of the request. Paths that end in `/embeddings` produce no output. */
  readonly path?: string | undefined;
}

/** What a request is estimated to take: the amounts to hold, with the parts that `learn` and `measuredAmounts` want back. */
export interface RequestEstimate extends Amounts {
  readonly requests: number;
  /** The prompt and the expected output. */
  readonly tokens: number;
  /** What they weigh, with nothing of the prompt from a cache. */
  readonly pricedTokens: number;
  /** The prompt, corrected by what settled answers have taught. */
  readonly promptTokens: number;
  /** The prompt as it was counted, before the correction. */
  readonly countedPromptTokens: number;
  readonly model: string;
}

export interface Estimates {
  /** Prompt tokens + the typical output of this key and model, and never more than the request's output limit. */
  typicalEstimate(request: RequestToEstimate): RequestEstimate;
  /** Prompt tokens + the request's output limit: as far as the prompt is counted right, no answer takes more. */
  boundEstimate(request: RequestToEstimate): RequestEstimate;
  /** Learns from a settled answer whose usage covers all of it. */
  learn(settled: {
    readonly apiKeyId: string;
    readonly estimate: RequestEstimate;
    readonly usage: MeasuredUsage;
  }): void;
}

export interface EstimatesOptions {
  /** Weight of the latest answer in the averages; default 0.2. */
  readonly alpha?: number;
  /** Pairs of key and model that are remembered; default 10 000. */
  readonly maxPairs?: number;
  /** Typical output before the first settled answer; default 500. */
  readonly firstOutput?: number;
  /** What `boundEstimate` takes for the output limit of a request that sets none; default 4096. */
  readonly unstatedLimit?: number;
  /** What one inline image counts as; default 1500. */
  readonly mediaTokens?: number;
}

/**
 * The two ready-made estimates of what a request will take, with the memory they share. `typicalEstimate` lets more requests in at
 * once and may be overshot by what answers take beyond it; `boundEstimate` is not overshot, and refuses clients that always ask for
 * a huge output limit long before they are over.
 */
export function createEstimates({
  alpha = 0.2,
  maxPairs = 10_000,
  firstOutput = 500,
  unstatedLimit = 4_096,
  mediaTokens = 1_500,
}: EstimatesOptions = {}): Estimates {
  const typical = createTypicalOutputs({ alpha, maxPairs });

  function estimate(
    { apiKeyId, body, model, path }: RequestToEstimate,
    outputOf: (typicalOutput: number | undefined, limit: number | undefined) => number,
  ): RequestEstimate {
    const request = read(body);
    const named = model ?? modelIn(request.value);
    const known = typical.recall({ apiKeyId, model: named });
    const countedPromptTokens = request.text ?? estimateTokens(request.value, { mediaTokens });
    const promptTokens = Math.ceil(countedPromptTokens * (known?.promptFactor ?? 1));
    const output = path?.endsWith("/embeddings")
      ? 0
      : Math.ceil(outputOf(known?.output, outputLimit(request.value)));
    return {
      requests: 1,
      tokens: promptTokens + output,
      pricedTokens: pricedTokens({ input: promptTokens, cachedInput: 0, cacheWrite: 0, output }),
      promptTokens,
      countedPromptTokens,
      model: named,
    };
  }

  return {
    typicalEstimate: (request) =>
      estimate(request, (output, limit) => Math.min(output ?? firstOutput, limit ?? Number.MAX_SAFE_INTEGER)),
    boundEstimate: (request) =>
      estimate(request, (output, limit) => limit ?? Math.max(output ?? 0, unstatedLimit)),
    learn({ apiKeyId, estimate: { model, countedPromptTokens }, usage }) {
      typical.learn(
        { apiKeyId, model },
        { estimatedPrompt: countedPromptTokens, prompt: usage.total - usage.output, output: usage.output },
      );
    },
  };
}

/** The parsed body; `text` is the estimate for one that is not JSON. */
function read(body: unknown): { readonly value: unknown; readonly text?: number } {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return { value: body };
  const value = parseJson(typeof body === "string" ? body : new TextDecoder().decode(body));
  return value === undefined ? { value, text: tokensInText(body.length) } : { value };
}

function modelIn(body: unknown): string {
  const model = isRecord(body) ? body["model"] : undefined;
  return typeof model === "string" ? model : "";
}
