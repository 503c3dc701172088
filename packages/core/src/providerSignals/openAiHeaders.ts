import type { Findings } from "./findings.js";
import { durationIn } from "./durationIn.js";
import { decimalIn } from "./decimalIn.js";
import { shownValue } from "./shownValue.js";
import { reported } from "./reported.js";
import { usedPart } from "./usedPart.js";

interface Limit {
  readonly unit: "requests" | "tokens";
  readonly window: string | null;
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const PERIODS = [
  ["", null],
  ["-second", "1s"],
  ["-minute", "1m"],
  ["-hour", "hourly"],
  ["-day", "daily"],
  ["-month", "monthly"],
] as const;

/** Which limit is of what: OpenAI, Azure and Groq name no window, Cerebras and Mistral do. */
const LIMITS: readonly Limit[] = PERIODS.flatMap(([suffix, window]) =>
  (["requests", "req", "tokens"] as const).map((word) => ({
    unit: word === "tokens" ? ("tokens" as const) : ("requests" as const),
    window,
    limit: `x-ratelimit-limit-${word}${suffix}`,
    remaining: `x-ratelimit-remaining-${word}${suffix}`,
    reset: `x-ratelimit-reset-${word}${suffix}`,
  })),
);

const UNNAMED = LIMITS.filter(({ window }) => window === null);
const NAMED = LIMITS.filter(({ window }) => window !== null);

/**
 * OpenAI and those that speak like it: `x-ratelimit-limit-*`, `-remaining-*` and `-reset-*` of requests and tokens. A reset is a
 * time from now, as Go writes durations (`6m0s`, `12ms`) or in plain seconds (Azure, Cerebras). −1 is Azure's "not reported". Other names
 * (`-tokens_usage_based`, `-tokens-prompt`) are not of these limits, and not read.
 */
export function readOpenAiHeaders(headers: ReadonlyMap<string, string>, findings: Findings): void {
  const before = findings.readings.length;
  for (const limit of UNNAMED) readLimit(headers, limit, findings);
  // Whoever names windows names all of them.
  if (findings.readings.length === before) for (const limit of NAMED) readLimit(headers, limit, findings);
}

function readLimit(headers: ReadonlyMap<string, string>, names: Limit, findings: Findings): void {
  const limit = reported(headers.get(names.limit));
  if (limit === undefined) return;
  const remaining = reported(headers.get(names.remaining));
  const part = usedPart({ limit, remaining }, names, findings);
  if (part === undefined) return;
  const afterMs = waitIn(reported(headers.get(names.reset)), names.reset, findings);
  findings.add({
    unit: names.unit,
    window: names.window,
    utilization: part.utilization,
    limit: part.limit,
    remaining: part.remaining,
    reset: { afterMs, source: names.reset },
    source: names.remaining,
  });
}

function waitIn(value: string | undefined, field: string, findings: Findings): number | undefined {
  if (value === undefined) return undefined;
  const seconds = decimalIn(value);
  const ms = seconds >= 0 ? seconds * 1000 : durationIn(value);
  if (ms === undefined) findings.note(`${field} is ${shownValue(value)}, not a duration: ignored.`);
  return ms;
}
