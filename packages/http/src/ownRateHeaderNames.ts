import { WINDOW_MS } from "@quota/core";

// Every answer needs these names: made once, they are found in maps without being put together and hashed again.

/** The slots of Codex: the window, its length in minutes, and the fields. */
export const CODEX_SLOTS = [
  ["5h", WINDOW_MS["5h"] / 60_000, codexNames("primary")],
  ["weekly", WINDOW_MS.weekly / 60_000, codexNames("secondary")],
] as const;

/** The windows of a Claude subscription, and what a refusal calls them. */
export const CLAUDE_WINDOWS = [
  ["5h", "five_hour", claudeNames("5h")],
  ["weekly", "seven_day", claudeNames("7d")],
] as const;

/** The units that API keys of Anthropic are told of. */
export const ANTHROPIC_UNITS = [
  ["requests", anthropicNames("requests")],
  ["tokens", anthropicNames("tokens")],
] as const;

/** The units that API keys of OpenAI are told of. */
export const OPENAI_UNITS = [
  ["requests", openaiNames("requests")],
  ["tokens", openaiNames("tokens")],
] as const;

function codexNames(slot: string) {
  return {
    used: `x-codex-${slot}-used-percent`,
    length: `x-codex-${slot}-window-minutes`,
    resetAfter: `x-codex-${slot}-reset-after-seconds`,
    resetAt: `x-codex-${slot}-reset-at`,
  };
}

function claudeNames(window: string) {
  return {
    status: `anthropic-ratelimit-unified-${window}-status`,
    utilization: `anthropic-ratelimit-unified-${window}-utilization`,
    reset: `anthropic-ratelimit-unified-${window}-reset`,
  };
}

function anthropicNames(unit: string) {
  return {
    limit: `anthropic-ratelimit-${unit}-limit`,
    remaining: `anthropic-ratelimit-${unit}-remaining`,
    reset: `anthropic-ratelimit-${unit}-reset`,
  };
}

function openaiNames(unit: string) {
  return {
    limit: `x-ratelimit-limit-${unit}`,
    remaining: `x-ratelimit-remaining-${unit}`,
    reset: `x-ratelimit-reset-${unit}`,
  };
}
