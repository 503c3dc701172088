import type { ProviderReading } from "@quota/core";
import { buildUpstreamLimit, type Dialect, type UpstreamLimit } from "@quota/http";
import { describe, expect, test } from "vitest";
import { codexRefusal } from "./codexClient.js";
import { asked, decided, NOON } from "./decisions.js";

function reading(change: Partial<ProviderReading> = {}): ProviderReading {
  return {
    provider: "codex",
    unit: "percent",
    window: "5h",
    utilization: 1,
    resetsAt: NOON + 13_873_000,
    receivedAt: NOON,
    source: "x-codex-primary-used-percent",
    ...change,
  };
}

function build(limit: Partial<UpstreamLimit> = {}) {
  const asks = {
    upstream: { status: 429, headers: {}, body: undefined },
    signals: { readings: [] },
    dialect: "openai" as Dialect,
    requestId: "req_7",
    ...limit,
  };
  return buildUpstreamLimit(asks, NOON);
}

describe("A provider's own 429", () => {
  test("is told to Codex as a usage limit of this connection, with the provider's reset and the key's own windows", () => {
    const percent = { limit: 100_000_000, share: 50_000_000, used: 10_000_000, cost: 0 };
    const { status, headers, body } = build({
      upstream: {
        status: 429,
        headers: {
          "X-Codex-Plan-Type": "plus",
          "x-codex-active-limit": "premium",
          "x-codex-credits-balance": "3",
        },
        body: { error: { type: "usage_limit_reached", plan_type: "plus", message: "Upgrade to Pro" } },
      },
      signals: { readings: [reading(), reading({ window: "weekly", utilization: 0.8 })] },
      decision: decided([asked("percent", "5h", percent), asked("percent", "weekly", percent)], NOON),
      dialect: "codex",
    });
    expect(status).toBe(429);
    expect(codexRefusal((name) => headers[name], body)).toEqual({
      kind: "usage-limit",
      resetsAt: NOON / 1000 + 13_873,
      plan: undefined,
      limits: {
        primary: { usedPercent: 100, windowMinutes: 300, resetsAt: NOON / 1000 + 13_873 },
        secondary: { usedPercent: 20, windowMinutes: 10_080, resetsAt: expect.any(Number) },
        hasCredits: false,
      },
    });
    expect(headers).toMatchObject({
      "retry-after": "13873",
      "x-should-retry": "false",
      "x-quota-reason": "upstream_rate_limited",
    });
    expect(JSON.stringify([headers, body])).not.toMatch(/plus|premium|pro\b|balance/iu);
  });

  test("is told to OpenAI's and Anthropic's clients in their own shapes", () => {
    const signals = { readings: [], retryAfterMs: 4_000 };
    const message = "the provider's own limit on this connection is reached; opens 12:00:04 UTC";
    expect(build({ signals })).toMatchObject({
      status: 429,
      contentType: "application/problem+json",
      headers: { "retry-after": "4", "retry-after-ms": "4000", "x-request-id": "req_7" },
      body: {
        type: "about:blank",
        detail: message,
        error: { type: "rate_limit_error", code: "upstream_rate_limited", message },
      },
    });
    const anthropic = build({ signals, dialect: "anthropic" });
    expect(anthropic.headers).not.toHaveProperty("x-should-retry");
    expect(anthropic.body).toEqual({
      type: "error",
      error: { type: "rate_limit_error", message },
      request_id: "req_7",
    });
  });

  const waits: [
    sentence: string,
    limit: Partial<UpstreamLimit>,
    headers: Record<string, string | undefined>,
  ][] = [
    [
      "asks for the provider's own wait rather than for the window",
      { signals: { readings: [reading()], retryAfterMs: 4_000 } },
      { "retry-after": "4", "x-should-retry": undefined },
    ],
    [
      "asks for the reset of the full window that is furthest away",
      { signals: { readings: [reading({ resetsAt: NOON + 20_000 }), reading({ resetsAt: NOON + 30_000 })] } },
      { "retry-after": "30", "x-should-retry": undefined },
    ],
    [
      "does not wait for a window that is not full",
      {
        signals: {
          readings: [reading({ resetsAt: NOON + 20_000 }), reading({ window: "weekly", utilization: 0.99 })],
        },
      },
      { "retry-after": "20" },
    ],
    [
      "does not wait for an overage while the account's own window is full",
      { signals: { readings: [reading({ resetsAt: NOON + 20_000 }), reading({ scope: "overage" })] } },
      { "retry-after": "20" },
    ],
    [
      "waits for one model's window where that alone is full",
      { signals: { readings: [reading({ resetsAt: NOON + 20_000, scope: "a-model" })] } },
      { "retry-after": "20" },
    ],
    [
      "of thirty days is cut off, and nobody sleeps through it",
      { signals: { readings: [], retryAfterMs: 2_592_000_000 } },
      { "retry-after": "2147483", "x-should-retry": "false" },
    ],
    [
      "says nothing of a wait where the provider says nothing",
      {},
      { "retry-after": undefined, "x-should-retry": undefined },
    ],
    [
      "without money is not worth a retry",
      { upstream: { status: 402, headers: {}, body: { error: { message: "Balance: 0.12 USD" } } } },
      { "retry-after": undefined, "x-should-retry": "false" },
    ],
    [
      "for want of quota is not worth a retry",
      { upstream: { status: 429, headers: {}, body: { error: { code: "insufficient_quota" } } } },
      { "retry-after": undefined, "x-should-retry": "false" },
    ],
    [
      "keeps the provider's word that no retry helps",
      {
        upstream: { status: 429, headers: { "X-Should-Retry": "false" } },
        signals: { readings: [], retryAfterMs: 4_000 },
      },
      { "retry-after": "4", "x-should-retry": "false" },
    ],
  ];
  test.each(waits)("%s", (_sentence, limit, headers) => {
    const answer = build(limit);
    for (const [name, value] of Object.entries(headers))
      expect([name, answer.headers[name]]).toEqual([name, value]);
    expect(answer.status).toBe(429);
    const patient = headers["x-should-retry"] === undefined;
    expect(answer.body["error"]).toMatchObject({ type: patient ? "rate_limit_error" : "insufficient_quota" });
    expect(JSON.stringify(answer.body)).not.toContain("0.12");
  });

  test("leaves the numbers of a key to which it does not apply as they are, in the provider's own headers", () => {
    const decision = decided([asked("requests", "hourly", { limit: 100, used: 10, share: 30 })], NOON);
    const upstream = {
      status: 429,
      headers: { "x-ratelimit-limit-requests": "9", "x-ratelimit-limit-project": "9" },
    };
    const { headers } = build({ upstream, decision, signals: { readings: [reading()], retryAfterMs: 1 } });
    expect(headers).toMatchObject({
      "x-ratelimit-limit-requests": "30",
      "x-ratelimit-remaining-requests": "19",
    });
    expect(headers).not.toHaveProperty("x-ratelimit-limit-project");
  });
});
