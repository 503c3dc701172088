import type { Dialect } from "./dialectOf.js";
import { headerNames, type HeadersInput } from "./headers.js";

/** One provider's way to tell a client of its limits in headers. */
export type RateHeaderFamily = "codex" | "anthropic-unified" | "anthropic" | "openai";

/**
 * Whose rate headers an answer carries: `x-codex-*`, `anthropic-ratelimit-unified-*`, other `anthropic-ratelimit-*`, `x-ratelimit-*` (OpenAI, and
 * who does as OpenAI does). An answer may carry several.
 */
export function rateHeaderFamilies(headers: HeadersInput): ReadonlySet<RateHeaderFamily> {
  const families = new Set<RateHeaderFamily>();
  for (const name of headerNames(headers)) {
    const family = FAMILY.exec(name)?.[0].toLowerCase();
    if (family !== undefined) families.add(OF_PREFIX[family as keyof typeof OF_PREFIX]);
  }
  return families;
}

const FAMILY = /^(?:x-codex-|x-ratelimit-|anthropic-ratelimit-(?:unified-)?)/i;

const OF_PREFIX = {
  "x-codex-": "codex",
  "x-ratelimit-": "openai",
  "anthropic-ratelimit-": "anthropic",
  "anthropic-ratelimit-unified-": "anthropic-unified",
} as const satisfies Readonly<Record<string, RateHeaderFamily>>;

/** Whose rate headers the clients of a dialect read on a refusal, whoever the provider is. */
export function familiesOfDialect(dialect: Dialect): ReadonlySet<RateHeaderFamily> {
  return OF_DIALECT[dialect];
}

const OF_DIALECT: Readonly<Record<Dialect, ReadonlySet<RateHeaderFamily>>> = {
  openai: new Set(),
  anthropic: new Set(["anthropic-unified", "anthropic"] as const),
  codex: new Set(["codex"] as const),
};
