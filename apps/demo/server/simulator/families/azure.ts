import { secondsUntil } from "../accountView.js";
import { openai } from "./openai.js";
import type { ProviderFamily } from "./providerFamily.js";
import { rateLimitNames } from "./rateLimitNames.js";

/** Azure's OpenAI: plain seconds for a reset, and −1 for what it does not report (all of the requests, in the shape `other`). */
export const azure: ProviderFamily = {
  ...openai,
  headers(view) {
    const names = rateLimitNames(view, (ms) => String(Math.ceil(ms / 1000)));
    if (view.shape === "usual") return names;
    return {
      ...names,
      "x-ratelimit-limit-requests": "-1",
      "x-ratelimit-remaining-requests": "-1",
      "x-ratelimit-reset-requests": "-1",
    };
  },
  refuse({ now }, { window, model }) {
    const wait = secondsUntil(window.resetsAt, now);
    const rate = window.unit === "tokens" ? "token" : "call";
    return {
      status: 429,
      body: {
        error: {
          code: "429",
          message: `Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded ${rate} rate limit of your current OpenAI S0 pricing tier for ${model}. Please retry after ${wait} seconds.`,
        },
      },
      headers: {
        "retry-after": String(wait),
        "retry-after-ms": String(Math.max(0, Math.ceil(window.resetsAt - now))),
      },
    };
  },
};
