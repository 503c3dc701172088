import { countTokens } from "./countTokens.js";
import type { Endpoint, Turn } from "./endpoint.js";
import type { JsonObject } from "./jsonObject.js";
import { seededNumbers } from "./seededNumbers.js";

/** POST /v1/embeddings: unit vectors that depend on the input alone, as floats or as base64 (which the official client asks for). */
export const embeddingsCall: Endpoint = {
  dialect: "openai",
  read: (body) => {
    const inputs = readInputs(body["input"]);
    if (inputs.length === 0) return "input: a text, a list of texts, or a list of tokens is required.";
    return {
      model: String(body["model"]),
      prompt: inputs.filter((input) => typeof input === "string").join("\n"),
      inputTokens: inputs.reduce((sum, input) => sum + tokens(input), 0),
      cacheable: "nothing",
      maxTokens: "unbounded",
      stream: false,
      writes: "nothing",
    };
  },
  json: (turn) => ({
    object: "list",
    data: readInputs(turn.body["input"]).map((input, index) => ({
      object: "embedding",
      index,
      embedding: written(vector(input, turn), turn.body["encoding_format"]),
    })),
    model: turn.question.model,
    ...(turn.options.usage === "none" ? {} : { usage: embeddingUsage(turn) }),
  }),
};

type EmbeddingInput = string | readonly number[];

function readInputs(input: unknown): readonly EmbeddingInput[] {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input)) return [];
  if (input.length > 0 && input.every((item) => typeof item === "number")) return [input];
  return input.filter((item): item is EmbeddingInput => typeof item === "string" || Array.isArray(item));
}

function tokens(input: EmbeddingInput): number {
  return typeof input === "string" ? countTokens(input) : input.length;
}

function vector(input: EmbeddingInput, { body, options }: Turn): number[] {
  const wanted = body["dimensions"];
  const dimensions = typeof wanted === "number" && wanted >= 1 && wanted <= 4096 ? Math.floor(wanted) : 256;
  const next = seededNumbers(`${options.seed}\n${JSON.stringify(input)}`);
  const raw = Array.from({ length: dimensions }, () => next() * 2 - 1);
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}

function written(values: readonly number[], format: unknown): readonly number[] | string {
  return format === "base64" ? Buffer.from(Float32Array.from(values).buffer).toString("base64") : values;
}

function embeddingUsage({ question }: Turn): JsonObject {
  return { prompt_tokens: question.inputTokens, total_tokens: question.inputTokens };
}
