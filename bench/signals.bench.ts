import { readProviderSignals, type HeadersLike, type ProviderAnswer } from "@quota/core";
import { processorTime } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";

const NOW = Date.UTC(2026, 2, 4, 12);
/** Different answers in turn, so that nothing can be read once. */
const VARIANTS = 64;
const CALLS = 5_000;

/** What stands in an answer beside the limits. */
const OTHERS: Readonly<Record<string, string>> = {
  date: "Wed, 04 Mar 2026 12:00:00 GMT",
  "content-type": "text/event-stream; charset=utf-8",
  connection: "keep-alive",
  "transfer-encoding": "chunked",
  "cf-ray": "8f1e2d3c4b5a6978-AMS",
  "cf-cache-status": "DYNAMIC",
  server: "cloudflare",
  "strict-transport-security": "max-age=31536000; includeSubDomains; preload",
  "x-content-type-options": "nosniff",
  "x-request-id": "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
  "alt-svc": 'h3=":443"; ma=86400',
  vary: "Accept-Encoding",
};

const families: Readonly<Record<string, (i: number) => ProviderAnswer>> = {
  codex: (i) =>
    answerOf("codex", {
      "x-codex-plan-type": "plus",
      "x-codex-primary-used-percent": String(i),
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-after-seconds": String(3600 + i),
      "x-codex-primary-reset-at": String(NOW / 1000 + 3600 + i),
      "x-codex-secondary-used-percent": String(i / 2),
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-after-seconds": String(86_400 + i),
      "x-codex-secondary-reset-at": String(NOW / 1000 + 86_400 + i),
      "x-codex-credits-has-credits": "False",
    }),
  unified: (i) =>
    answerOf("anthropic", {
      "anthropic-ratelimit-unified-status": "allowed",
      "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 3600 + i),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-5h-status": "allowed",
      "anthropic-ratelimit-unified-5h-utilization": String(i / 100),
      "anthropic-ratelimit-unified-5h-reset": String(NOW / 1000 + 3600 + i),
      "anthropic-ratelimit-unified-7d-status": "allowed",
      "anthropic-ratelimit-unified-7d-utilization": String(i / 200),
      "anthropic-ratelimit-unified-7d-reset": new Date(NOW + 86_400_000 + i * 1000).toISOString(),
      "anthropic-ratelimit-unified-fallback-percentage": "0.5",
    }),
  openai: (i) =>
    answerOf("openai", {
      "x-ratelimit-limit-requests": "5000",
      "x-ratelimit-limit-tokens": "800000",
      "x-ratelimit-remaining-requests": String(4999 - i),
      "x-ratelimit-remaining-tokens": String(799_000 - i),
      "x-ratelimit-reset-requests": `${12 + i}ms`,
      "x-ratelimit-reset-tokens": `2m${i % 60}.5s`,
      "openai-processing-ms": "1234",
      "openai-version": "2020-10-01",
    }),
};

const answers = new Map(
  Object.entries(families).map(([name, of]) => [name, Array.from({ length: VARIANTS }, (_, i) => of(i))]),
);
const medians = await inTurns(
  { codex: reading("codex"), unified: reading("unified"), openai: reading("openai") },
  { rounds: 50 },
);

const row = (name: keyof typeof medians, work: string): Measurement => ({
  work,
  unit: "µs",
  ours: {
    name: "readProviderSignals",
    value: medians[name],
    guarantee: `${String(Object.keys(answers.get(name)?.[0]?.headers ?? {}).length)} fields, names in any case; two readings with resets, believed within their windows; never throws`,
  },
  target: { of: "value", atMost: 5 },
});
await saveResult("signals", [
  row("codex", "one answer's headers, Codex"),
  row("unified", "one answer's headers, Anthropic subscription"),
  row("openai", "one answer's headers, OpenAI"),
]);

function reading(family: string): () => Promise<number> {
  const said = answers.get(family) ?? [];
  return () =>
    processorTime(CALLS, () => {
      for (let i = 0; i < CALLS; i += 1)
        if (readProviderSignals(said[i % VARIANTS]!).readings.length !== 2)
          throw new Error(`Two readings were meant to be in the headers of ${family}.`);
    });
}

/** An answer whose headers come as a server's do: the limits in the midst of others. */
function answerOf(provider: string, limits: Readonly<Record<string, string>>): ProviderAnswer {
  const fields = Object.entries(OTHERS);
  const headers: HeadersLike = Object.fromEntries([
    ...fields.slice(0, 6),
    ...Object.entries(limits),
    ...fields.slice(6),
  ]);
  return { provider, status: 200, headers, receivedAt: NOW };
}
