import type { Dialect } from "./dialectOf.js";
import { headerMap, type HeadersInput } from "./headers.js";

/** One provider's way to tell a client of its limits in headers. */
export type RateHeaderFamily = "codex" | "anthropic-unified" | "anthropic" | "openai";

/**
 * Whose rate headers an answer carries: `x-codex-*`, `anthropic-ratelimit-unified-*`, other `anthropic-ratelimit-*`, `x-ratelimit-*` (OpenAI, and
 * who does as OpenAI does). An answer may carry several.
 */
export function rateHeaderFamilies(headers: HeadersInput): ReadonlySet<RateHeaderFamily> {
  const families = new Set<RateHeaderFamily>();
  for (const name of headerMap(headers).keys()) {
    if (name.startsWith("x-ratelimit-")) families.add("openai");
    else if (name.startsWith("x-codex-")) families.add("codex");
    else if (name.startsWith("anthropic-ratelimit-unified-")) families.add("anthropic-unified");
    else if (name.startsWith("anthropic-ratelimit-")) families.add("anthropic");
  }
  return families;
}

/** Whose rate headers the clients of a dialect read on a refusal, whoever the provider is. */
export function familiesOfDialect(dialect: Dialect): ReadonlySet<RateHeaderFamily> {
  return OF_DIALECT[dialect];
}

const OF_DIALECT: Readonly<Record<Dialect, ReadonlySet<RateHeaderFamily>>> = {
  openai: new Set(),
  anthropic: new Set(["anthropic-unified", "anthropic"] as const),
  codex: new Set(["codex"] as const),
};
