import { leftOf, secondsUntil } from "../accountView.js";
import { day, minute } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";
import { rateLimitNames } from "./rateLimitNames.js";

/** Groq: OpenAI's names, but the requests are a day's and the tokens a minute's; spans with fractions of a second (`2m59.56s`). */
export const groq: ProviderFamily = {
  windows: [
    { name: "tokens", lengthMs: minute, unit: "tokens", limit: 60_000, starts: "first-use" },
    { name: "requests", lengthMs: day, unit: "requests", limit: 14_400, starts: "first-use" },
  ],
  headers: (view) => rateLimitNames(view, fractionalDuration),
  refuse({ now }, { window, model }) {
    const [what, type] =
      window.unit === "tokens"
        ? ["tokens per minute (TPM)", "tokens"]
        : ["requests per day (RPD)", "requests"];
    const numbers = `Limit ${window.limit}, Used ${window.limit - leftOf(window)}, Requested 1`;
    const wait = fractionalDuration(window.resetsAt - now);
    const message = `Rate limit reached for model \`${model}\` in organization \`org_simulated\` service tier \`on_demand\` on ${what}: ${numbers}. Please try again in ${wait}.`;
    return {
      status: 429,
      body: { error: { message, type, code: "rate_limit_exceeded" } },
      headers: { "retry-after": String(secondsUntil(window.resetsAt, now)) },
    };
  },
};

function fractionalDuration(ms: number): string {
  const hundredths = Math.ceil(Math.max(0, ms) / 10);
  const minutes = Math.floor(hundredths / 6000);
  const seconds = `${(hundredths % 6000) / 100}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
