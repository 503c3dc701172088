import { plantRatePlan, ratePathFrom, checkRatePlan, type RateRefused } from "@quota/core";
import { buildRateRefusal, buildRefusal, type Dialect } from "@quota/http";
import { describe, expect, test } from "vitest";
import { NOON } from "./decisions.js";

const planted = plantRatePlan({
  nodes: [
    { id: "org_secret", kind: "organisation", rpm: 10, tpm: 1500 },
    { id: "key_other", kind: "key", rpm: 2, parent: "org_secret" },
    { id: "key_asks", kind: "key", parent: "org_secret" },
  ],
});
const plan = planted.ok ? planted.plan : undefined;

/** The refusal of a request, and when the minute turns. */
function refused(estimate: number, use: { requests: number; tokens: number }): RateRefused {
  const path = ratePathFrom(plan!, "key_asks");
  const answer = checkRatePlan({ plan: plan!, path, usage: new Map([["org_secret", use]]), estimate });
  if (answer.allowed) throw new Error("It passed.");
  const { refusal } = answer;
  const reason = refusal.dimension === "rpm" ? "rate-limit-rpm" : "rate-limit-tpm";
  return { status: "refused", allowed: false, reason, refusal, retryAt: NOON + 18_500 };
}
const rpm = refused(1, { requests: 8, tokens: 0 });
const tpm = refused(600, { requests: 1, tokens: 1000 });
const tooLarge: RateRefused = {
  status: "refused",
  allowed: false,
  reason: "too-large",
  refusal: refused(2000, { requests: 1, tokens: 0 }).refusal,
};
const contended: RateRefused = {
  status: "refused",
  allowed: false,
  reason: "contended",
  retryAt: NOON + 1000,
};
const build = (decision: RateRefused, dialect: Dialect = "openai", jitter = 0) =>
  buildRateRefusal({ decision, dialect, requestId: "req_7", jitter }, NOON);

describe("A request above its rate", () => {
  test("is told in OpenAI's words whose limit it was and when the minute turns", () => {
    const answer = build(rpm);
    const message =
      "organisation rpm_limit: 10 requests a minute, used or kept for others; opens 12:00:19 UTC";
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Request cannot be satisfied as assigned quota has been exceeded",
      status: 429,
      detail: message,
      "violated-policies": ["minute-requests"],
      resets_at: NOON / 1000 + 19,
      error: { message, type: "rate_limit_error", code: "rate_limit_rpm", param: null },
    });
    expect(answer.headers).toEqual({
      "cache-control": "no-store",
      "x-request-id": "req_7",
      "x-quota-reason": "rate_limit_rpm",
      "retry-after": "19",
      "retry-after-ms": "18500",
    });
  });

  test("is told in Anthropic's", () => {
    expect(build(tpm, "anthropic")).toMatchObject({
      status: 429,
      headers: { "request-id": "req_7", "x-quota-reason": "rate_limit_tpm", "retry-after": "19" },
      body: {
        type: "error",
        error: {
          type: "rate_limit_error",
          message:
            "organisation tpm_limit: 1 500 tokens a minute, used or kept for others, and this request needs 600; opens 12:00:19 UTC",
        },
        request_id: "req_7",
      },
    });
  });

  test("is told in Codex's", () => {
    expect(build(rpm, "codex").body).toMatchObject({
      error: { type: "usage_limit_reached", resets_at: NOON / 1000 + 19, resets_in_seconds: 19 },
    });
  });

  test.each<[string, RateRefused, string]>([
    [
      "is too large for any minute",
      tooLarge,
      "organisation tpm_limit: this request needs 2 000 tokens, more than any minute has for it (1 500 tokens a minute); make it smaller",
    ],
    [
      "meets a limit of 0",
      { ...rpm, refusal: { ...rpm.refusal!, limit: 0 }, retryAt: undefined },
      "organisation rpm_limit: 0 requests a minute, which leave none to this request in any minute",
    ],
  ])("that %s is not told to come back", (_, decision, message) => {
    const { headers, body } = build(decision);
    expect(headers).toMatchObject({ "x-should-retry": "false" });
    expect(headers).not.toHaveProperty("retry-after");
    expect(body["error"]).toMatchObject({ message, type: "insufficient_quota" });
  });

  test("is spread over a little of the wait, unless it was only in others' way", () => {
    expect(build(rpm, "openai", 1).headers["retry-after-ms"]).toBe(String(18_500 + 925));
    expect(build(contended, "openai", 1).headers["retry-after-ms"]).toBe("1000");
    expect(build(contended).body).toMatchObject({
      "violated-policies": [],
      error: { code: "quota_contended" },
    });
  });

  test("names no id, and nobody's use, in any dialect", () => {
    for (const decision of [rpm, tpm, tooLarge])
      for (const dialect of ["openai", "anthropic", "codex"] as const)
        expect(JSON.stringify(build(decision, dialect))).not.toMatch(/org_secret|key_|1 ?000 tokens| 8 /);
  });
});

test("A store that failed is 503, as for quotas: rate admission fails closed", () => {
  const decision = {
    status: "unavailable",
    allowed: false,
    cause: new Error("/var/lib"),
    dimensions: [],
  } as const;
  const answer = buildRateRefusal({ decision, dialect: "openai", requestId: "req_7" }, NOON);
  expect(answer).toEqual(buildRefusal({ decision, dialect: "openai", requestId: "req_7" }, NOON));
  expect(answer).toMatchObject({
    status: 503,
    headers: { "retry-after": "1", "x-quota-reason": "quota_unavailable" },
  });
});
