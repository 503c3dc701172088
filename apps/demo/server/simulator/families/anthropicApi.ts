import { leftOf, secondsUntil } from "../accountView.js";
import { minute } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";
import { tightest } from "./rateLimitNames.js";
import { wholeSecond } from "./wholeSecond.js";

/** Anthropic's API with a key: four limits a minute; input that was read from the cache counts in none but the requests. */
export const anthropicApi: ProviderFamily = {
  windows: [
    { name: "requests", lengthMs: minute, unit: "requests", limit: 1000, starts: "first-use" },
    { name: "input tokens", lengthMs: minute, unit: "input-tokens", limit: 400_000, starts: "first-use" },
    { name: "output tokens", lengthMs: minute, unit: "output-tokens", limit: 80_000, starts: "first-use" },
    {
      name: "tokens",
      lengthMs: minute,
      unit: "tokens",
      limit: 480_000,
      starts: "first-use",
      enforced: false,
    },
  ],
  headers: ({ windows }) =>
    Object.fromEntries(
      (["requests", "tokens", "input-tokens", "output-tokens"] as const).flatMap((unit) => {
        // An account that counts tokens in one sum says the sum of both parts.
        const window = tightest(windows, unit) ?? tightest(windows, unit === "requests" ? unit : "tokens");
        if (window === undefined) return [];
        return [
          [`anthropic-ratelimit-${unit}-limit`, String(window.limit)],
          [`anthropic-ratelimit-${unit}-remaining`, String(leftOf(window))],
          [`anthropic-ratelimit-${unit}-reset`, wholeSecond(window.resetsAt)],
        ];
      }),
    ),
  refuse: ({ now }, { cause, window, model }) => ({
    status: 429,
    body: {
      type: "error",
      error: {
        type: "rate_limit_error",
        message:
          cause === "overage"
            ? "Extra usage is required for this request, and none is left."
            : `This request would exceed your organization's rate limit of ${window.limit} ${window.name} (model: ${model}). Please try again later.`,
      },
    },
    headers: { "retry-after": String(secondsUntil(window.resetsAt, now)), "x-should-retry": "true" },
  }),
};
