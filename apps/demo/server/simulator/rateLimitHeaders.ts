import type { SimulatorOptions } from "./simulatorOptions.js";
import type { Standing } from "./upstreamQuota.js";

export type HeaderFamily = Exclude<SimulatorOptions["rateLimitHeaders"], "by-dialect">;

/** What a provider says about the account's limits, in one family's names and number formats. */
export function rateLimitHeaders(
  family: HeaderFamily,
  standing: Standing,
  now: number,
): Readonly<Record<string, string>> {
  switch (family) {
    case "none":
      return {};
    case "openai":
      return openai(standing, now);
    case "anthropic-api":
      return anthropicApi(standing);
    case "anthropic-unified":
      return anthropicUnified(standing, now);
    case "codex":
      return codex(standing, now);
  }
}

function openai({ requests, tokens, resetsAt }: Standing, now: number): Readonly<Record<string, string>> {
  const reset = duration(resetsAt - now);
  return {
    "x-ratelimit-limit-requests": String(requests.limit),
    "x-ratelimit-remaining-requests": String(left(requests)),
    "x-ratelimit-reset-requests": reset,
    "x-ratelimit-limit-tokens": String(tokens.limit),
    "x-ratelimit-remaining-tokens": String(left(tokens)),
    "x-ratelimit-reset-tokens": reset,
  };
}

/** Go's way of writing a time span: `1s`, `6m0s`, `120ms`. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds % 60}s`;
}

function anthropicApi({ requests, tokens, resetsAt }: Standing): Readonly<Record<string, string>> {
  const reset = new Date(Math.ceil(resetsAt / 1000) * 1000).toISOString().replace(".000Z", "Z");
  const limits = { requests, tokens, "input-tokens": tokens, "output-tokens": tokens };
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, amount]) => [
      [`anthropic-ratelimit-${name}-limit`, String(amount.limit)],
      [`anthropic-ratelimit-${name}-remaining`, String(left(amount))],
      [`anthropic-ratelimit-${name}-reset`, reset],
    ]),
  );
}

/** A subscription's two windows. The simulator enforces one; the week is shown a tenth as full. */
function anthropicUnified(standing: Standing, now: number): Readonly<Record<string, string>> {
  const used = utilization(standing);
  const status = standing.allowed ? (used >= 0.8 ? "allowed_warning" : "allowed") : "rejected";
  const reset = String(Math.ceil(standing.resetsAt / 1000));
  return {
    "anthropic-ratelimit-unified-status": status,
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": status,
    "anthropic-ratelimit-unified-5h-utilization": used.toFixed(2),
    "anthropic-ratelimit-unified-5h-reset": reset,
    "anthropic-ratelimit-unified-7d-status": "allowed",
    "anthropic-ratelimit-unified-7d-utilization": (used / 10).toFixed(2),
    "anthropic-ratelimit-unified-7d-reset": String(Math.ceil((now + weekMs) / 1000)),
  };
}

function codex(standing: Standing, now: number): Readonly<Record<string, string>> {
  const used = utilization(standing);
  return {
    "x-codex-plan-type": "plus",
    "x-codex-primary-used-percent": String(Math.round(used * 100)),
    "x-codex-primary-window-minutes": String(Math.max(1, Math.round(standing.windowMs / 60_000))),
    "x-codex-primary-reset-after-seconds": String(Math.max(0, Math.ceil((standing.resetsAt - now) / 1000))),
    "x-codex-primary-reset-at": String(Math.ceil(standing.resetsAt / 1000)),
    "x-codex-secondary-used-percent": String(Math.round(used * 10)),
    "x-codex-secondary-window-minutes": "10080",
    "x-codex-secondary-reset-after-seconds": String(weekMs / 1000),
    "x-codex-secondary-reset-at": String(Math.ceil((now + weekMs) / 1000)),
    "x-codex-credits-has-credits": "False",
    "x-codex-credits-balance": "0",
  };
}

/** A spent account is shown as full, whatever rounding says. */
function utilization({ allowed, requests, tokens }: Standing): number {
  if (!allowed) return 1;
  return Math.min(1, Math.max(fraction(requests), fraction(tokens)));
}

function fraction({ used, limit }: { readonly used: number; readonly limit: number }): number {
  return limit === 0 ? 1 : used / limit;
}

function left({ used, limit }: { readonly used: number; readonly limit: number }): number {
  return Math.max(0, limit - used);
}

const weekMs = 7 * 24 * 60 * 60 * 1000;
