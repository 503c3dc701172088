import { isJsonObject } from "./jsonObject.js";
import type { SimulatorOptions } from "./simulatorOptions.js";

export interface Directives {
  /** Raw: `applyOptions` judges the values. */
  readonly changes: Partial<SimulatorOptions>;
  /** Which recorded exchange is wanted. */
  readonly replay: string | undefined;
  /** Whom the request's use is booked on in the account's books. */
  readonly tag: string | undefined;
}

/**
 * Reads what one request wants otherwise: in `x-simulate-NAME` headers, in the model (`any-model?NAME=VALUE&NAME=VALUE`), in
 * the prompt (`[simulate NAME=VALUE NAME=VALUE]`). Headers outrank the prompt, which outranks the model. A name nobody knows
 * throws a RangeError, so that a misspelt test does not pass by accident.
 */
export function readDirectives(request: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}): Directives {
  const wishes = new Map([
    ...wishesOfModel(request.body),
    ...wishesOfPrompt(request.body),
    ...wishesOfHeaders(request.headers),
  ]);
  let changes: Partial<SimulatorOptions> = {};
  for (const [name, value] of wishes) {
    if (name === "replay" || name === "tag") continue;
    const directive = directives.get(name);
    if (directive === undefined) {
      throw new RangeError(
        `unknown directive ${name}; known are replay, tag, ${[...directives.keys()].join(", ")}`,
      );
    }
    changes = { ...changes, ...directive(value) };
  }
  return { changes, replay: wishes.get("replay"), tag: wishes.get("tag") };
}

type Wish = readonly [name: string, value: string];

function wishesOfHeaders(headers: Readonly<Record<string, string>>): Wish[] {
  return Object.entries(headers)
    .filter(([name]) => name.startsWith(headerPrefix))
    .map(([name, value]) => [name.slice(headerPrefix.length), value]);
}

function wishesOfModel(body: unknown): Wish[] {
  const model = isJsonObject(body) ? body["model"] : undefined;
  if (typeof model !== "string" || !model.includes("?")) return [];
  return [...new URLSearchParams(model.slice(model.indexOf("?") + 1))];
}

function wishesOfPrompt(body: unknown): Wish[] {
  if (!isJsonObject(body)) return [];
  // The last turn alone: an agent sends its whole history again, and an old directive must not come back with it.
  const turns = body["messages"] ?? body["input"];
  const last: unknown = Array.isArray(turns) ? turns.at(-1) : turns;
  const found = /\[simulate ([^\]\n"\\]+)\]/u.exec(JSON.stringify(last ?? ""))?.[1] ?? "";
  return found
    .split(/[\s,]+/u)
    .filter((word) => word !== "")
    .map((word) => {
      const equals = word.indexOf("=");
      return equals < 0 ? [word, ""] : [word.slice(0, equals), word.slice(equals + 1)];
    });
}

const headerPrefix = "x-simulate-";

const directives = new Map<string, (value: string) => Partial<SimulatorOptions>>([
  ["latency-ms", (value) => ({ latencyMs: numberOf(value) })],
  ["chunk-delay-ms", (value) => ({ chunkDelayMs: numberOf(value) })],
  ["chunks", (value) => ({ chunks: value === "by-word" ? value : numberOf(value) })],
  ["answer-tokens", (value) => ({ answerTokens: value === "natural" ? value : numberOf(value) })],
  ["split-bytes", (value) => ({ splitBytes: value === "whole-events" ? value : numberOf(value) })],
  ["usage", (value) => ({ usage: value as SimulatorOptions["usage"] })],
  ["failure", (value) => ({ failure: value as SimulatorOptions["failure"], failureRate: 1 })],
  ["retry-after-seconds", (value) => ({ retryAfterSeconds: numberOf(value) })],
  ["pause", (value) => ({ pause: value as SimulatorOptions["pause"] })],
  ["redirect-to", (value) => ({ redirectTo: value })],
  ["rate-limit-headers", (value) => ({ rateLimitHeaders: value as SimulatorOptions["rateLimitHeaders"] })],
  ["header-case", (value) => ({ headerCase: value as SimulatorOptions["headerCase"] })],
]);

function numberOf(value: string): number {
  return value.trim() === "" ? Number.NaN : Number(value);
}
