import { leftOf, type AccountView, type ShownWindow } from "../accountView.js";
import { day } from "../spans.js";
import type { Headers, ProviderFamily } from "./providerFamily.js";
import { tightest } from "./rateLimitNames.js";

/**
 * OpenRouter: a key with dollars a day, and requests for free models a day, of which only a refusal tells (twice: as headers and
 * in its body). Spent dollars are a 402.
 */
export const openrouter: ProviderFamily = {
  windows: [
    { name: "daily", lengthMs: day, unit: "usd", limit: 10, starts: { from: 0 } },
    { name: "free requests", lengthMs: day, unit: "requests", limit: 1000, starts: { from: 0 } },
  ],
  headers: (_, refusal) => (refusal?.window.unit === "requests" ? requestHeaders(refusal.window) : {}),
  refuse(_, { window, model, cause }) {
    if (window.unit === "usd") {
      const message = "This request requires more credits, or fewer max_tokens.";
      return { status: 402, body: { error: { message, code: 402 } }, headers: {} };
    }
    const message =
      cause === "model"
        ? `${model} is temporarily rate-limited upstream. Please retry shortly.`
        : "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day";
    const metadata =
      cause === "model" ? { provider_name: "Simulated" } : { headers: pascal(requestHeaders(window)) };
    return {
      status: 429,
      body: { error: { message, code: 429, metadata }, user_id: "user_simulated" },
      headers: {},
    };
  },
  usage: {
    pathEnds: ["/key", "/auth/key"],
    body(view) {
      const credits = tightest(view.windows, "usd");
      return {
        data: {
          label: "sk-or-v1-sim...ted",
          limit: credits?.limit ?? null,
          limit_remaining: credits === undefined ? null : leftOf(credits),
          limit_reset: credits === undefined ? null : resetWord(credits),
          include_byok_in_limit: false,
          // What the key has ever spent: more than the limit's own part.
          usage: 25 + (credits?.used ?? 0),
          ...spent(view),
          byok_usage: 0,
          is_free_tier: false,
          is_provisioning_key: false,
          rate_limit: { requests: -1, interval: "10s", note: "This field is deprecated and safe to ignore." },
        },
      };
    },
  },
};

function spent({ windows }: AccountView): Readonly<Record<string, number>> {
  const used = tightest(windows, "usd")?.used ?? 0;
  return { usage_daily: used, usage_weekly: used, usage_monthly: used };
}

function resetWord({ lengthMs }: ShownWindow): string {
  if (lengthMs <= day) return "daily";
  return lengthMs <= 7 * day ? "weekly" : "monthly";
}

/** The reset in milliseconds. */
function requestHeaders(window: ShownWindow): Headers {
  return {
    "x-ratelimit-limit": String(window.limit),
    "x-ratelimit-remaining": String(leftOf(window)),
    "x-ratelimit-reset": String(Math.ceil(window.resetsAt)),
  };
}

function pascal(headers: Headers): Headers {
  return {
    "X-RateLimit-Limit": headers["x-ratelimit-limit"] ?? "",
    "X-RateLimit-Remaining": headers["x-ratelimit-remaining"] ?? "",
    "X-RateLimit-Reset": headers["x-ratelimit-reset"] ?? "",
  };
}
