import type { DimensionQuestion, Refused, ReserveNumbers, Unavailable } from "@quota/core";
import { buildRefusal, buildUnauthorized, refusalCode, type Dialect, type NoReason } from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asked, decided, decidedUnder, NOON, refused, sharing } from "./decisions.js";

const IN_TWO_HOURS = NOON + 7_500_000; // 14:05
const build = (decision: Refused | Unavailable, dialect: Dialect = "openai") =>
  buildRefusal({ decision, dialect, requestId: "req_7" }, NOON);
const unavailable: Unavailable = {
  status: "unavailable",
  allowed: false,
  cause: new Error("SQLITE_CANTOPEN /var/lib/gateway/storage.sqlite"),
  dimensions: [],
};

describe("A refusal in three dialects", () => {
  test("OpenAI gets a problem with the error object of its SDKs inside", () => {
    const answer = build(refused({ retryAt: IN_TWO_HOURS }));
    expect(answer.status).toBe(429);
    expect(answer.contentType).toBe("application/problem+json");
    expect(answer.body).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Request cannot be satisfied as assigned quota has been exceeded",
      status: 429,
      detail: "tokens/5h: 412 000 of your 400 000 share used; opens 14:05 UTC",
      "violated-policies": ["5h-tokens"],
      resets_at: IN_TWO_HOURS / 1000,
      error: {
        message: "tokens/5h: 412 000 of your 400 000 share used; opens 14:05 UTC",
        type: "insufficient_quota",
        code: "quota_fair_share",
        param: null,
      },
    });
    expect(answer.headers).toEqual({
      "cache-control": "no-store",
      "x-request-id": "req_7",
      "x-quota-reason": "quota_fair_share",
      "retry-after": "7500",
      "retry-after-ms": "7500000",
      "x-should-retry": "false",
      "ratelimit-policy": '"5h-tokens";q=400000;w=18000;quota-unit="tokens"',
      ratelimit: '"5h-tokens";r=0;t=7500',
    });
  });

  test("Anthropic gets its own error", () => {
    const answer = build(refused({ retryAt: IN_TWO_HOURS }), "anthropic");
    expect(answer.contentType).toBe("application/json");
    expect(answer.body).toEqual({
      type: "error",
      error: {
        type: "rate_limit_error",
        message: "tokens/5h: 412 000 of your 400 000 share used; opens 14:05 UTC",
      },
      request_id: "req_7",
    });
    expect(answer.headers).toMatchObject({ "request-id": "req_7", "x-quota-reason": "quota_fair_share" });
  });

  test("Codex gets a usage limit with its reset", () => {
    const answer = build(refused({ retryAt: IN_TWO_HOURS + 1 }), "codex");
    expect(answer.body).toEqual({
      error: {
        type: "usage_limit_reached",
        message: "tokens/5h: 412 000 of your 400 000 share used; opens 14:06 UTC",
        resets_at: IN_TWO_HOURS / 1000 + 1,
        resets_in_seconds: 7501,
      },
    });
  });

  test("Codex gets a usage limit for every reason, without a reset where there is none", () => {
    expect(build(refused({ reason: "in-flight" }), "codex").body).toMatchObject({
      error: { type: "usage_limit_reached", resets_at: NOON / 1000 + 5, resets_in_seconds: 5 },
    });
    const never = build(refused({ reason: "too-large" }), "codex").body["error"] as object;
    expect(Object.keys(never)).toEqual(["type", "message"]);
  });

  test("a wait that is cut off has its exact reset in every body", () => {
    const inThirtyDays = NOON + 2_592_000_000;
    expect(build(refused({ retryAt: inThirtyDays })).body).toMatchObject({ resets_at: inThirtyDays / 1000 });
    expect(build(refused({ retryAt: inThirtyDays }), "anthropic").body).toMatchObject({
      resets_at: inThirtyDays / 1000,
    });
    expect(build(refused({ retryAt: inThirtyDays }), "codex").body).toMatchObject({
      error: { resets_at: inThirtyDays / 1000, resets_in_seconds: 2_592_000 },
    });
  });

  test("OpenAI's type stops clients where waiting is no use and lets them retry where it is", () => {
    const typeOf = (decision: Refused) => (build(decision).body["error"] as { type: string }).type;
    expect(typeOf(refused({ retryAt: NOON + 12_000 }))).toBe("rate_limit_error");
    expect(typeOf(refused({ reason: "in-flight" }))).toBe("rate_limit_error");
    expect(typeOf(refused({ reason: "contended" }))).toBe("rate_limit_error");
    expect(typeOf(refused({ retryAt: NOON + 61_000 }))).toBe("insufficient_quota");
    expect(typeOf(refused({ reason: "too-large" }))).toBe("insufficient_quota");
    expect(typeOf(refused({ reason: "not-allocated" }))).toBe("insufficient_quota");
  });

  test("a store that failed is 503, and its error stays inside", () => {
    for (const dialect of ["openai", "anthropic", "codex"] as const) {
      const answer = build(unavailable, dialect);
      expect(answer.status).toBe(503);
      expect(answer.headers).toMatchObject({
        "retry-after": "1",
        "x-quota-reason": "quota_unavailable",
        "cache-control": "no-store",
      });
      expect(JSON.stringify(answer)).not.toMatch(/sqlite|\/var/i);
    }
    expect(build(unavailable).body).toMatchObject({
      status: 503,
      error: { type: "server_error", code: "quota_unavailable" },
    });
    expect(build(unavailable, "anthropic").body).toMatchObject({ error: { type: "overloaded_error" } });
  });

  test("an id that a client made up does not break the header, and stays in the body", () => {
    const answer = buildRefusal(
      { decision: refused(), dialect: "anthropic", requestId: "a\r\nset-cookie: x" },
      NOON,
    );
    expect(answer.headers).not.toHaveProperty("request-id");
    expect(answer.body["request_id"]).toBe("a\r\nset-cookie: x");
  });

  test("an unknown key is 401 in the dialect", () => {
    const openai = buildUnauthorized({ dialect: "openai", requestId: "r" });
    expect(openai).toMatchObject({
      status: 401,
      body: { status: 401, error: { code: "invalid_api_key", type: "invalid_request_error" } },
    });
    expect(openai.headers["www-authenticate"]).toBe("Bearer");
    expect(buildUnauthorized({ dialect: "anthropic", requestId: "r" }).body).toMatchObject({
      type: "error",
      error: { type: "authentication_error" },
      request_id: "r",
    });
    expect(buildUnauthorized({ dialect: "codex", requestId: "r" }).body).toMatchObject({
      error: { code: "invalid_api_key" },
    });
  });
});

describe("The code of a reason", () => {
  const codes: [NoReason, string][] = [
    ["fair-share", "quota_fair_share"],
    ["cap-absolute", "quota_cap_absolute"],
    ["global-saturated", "quota_pool_exhausted"],
    ["in-flight", "quota_in_flight"],
    ["too-large", "quota_request_too_large"],
    ["not-allocated", "quota_not_allocated"],
    ["reserved", "quota_reserved"],
    ["contended", "quota_contended"],
    ["rate-limit-rpm", "rate_limit_rpm"],
    ["rate-limit-tpm", "rate_limit_tpm"],
    ["budget-exceeded", "budget_exceeded"],
    ["unavailable", "quota_unavailable"],
    ["upstream-rate-limited", "upstream_rate_limited"],
  ];
  test.each(codes)("%s is %s", (reason, code) => {
    expect(refusalCode(reason)).toBe(code);
  });

  const reasons = [
    "fair-share",
    "cap-absolute",
    "global-saturated",
    "reserved",
    "in-flight",
    "too-large",
    "not-allocated",
    "contended",
  ] as const;
  test.each(reasons)("%s stands in the header and in the body", (reason) => {
    const answer = build(refused({ reason }));
    expect(answer.headers["x-quota-reason"]).toBe(refusalCode(reason));
    expect(answer.body["error"]).toMatchObject({ code: refusalCode(reason) });
  });
});

/** Of a pool of a million. */
const HELD: ReserveNumbers = {
  ...{ own: 0, bound: 300_000, forOthers: 90_000, holders: 2, spare: 0 },
  ...{ fromOwn: 0, decayed: 0, isExact: true, isCut: false },
};

const underReserve = (of: Parameters<typeof sharing>[0], more: Partial<DimensionQuestion> = {}): Refused =>
  decidedUnder("reserve", { ...sharing(of), ...more }) as Refused;

describe("The message of a refusal", () => {
  const at = { retryAt: IN_TWO_HOURS };
  const messages: [sentence: string, decision: Refused | Unavailable, message: string][] = [
    ["names the share", refused(at), "tokens/5h: 412 000 of your 400 000 share used; opens 14:05 UTC"],
    [
      "rounds the moment up to the minute",
      refused({ retryAt: IN_TWO_HOURS - 59_000 }),
      "tokens/5h: 412 000 of your 400 000 share used; opens 14:05 UTC",
    ],
    [
      "names the date when it is not today",
      refused({ retryAt: NOON + 86_400_000 }),
      "tokens/5h: 412 000 of your 400 000 share used; opens 2026-03-11 12:00 UTC",
    ],
    [
      "names the date when rounding makes it tomorrow",
      refused({ retryAt: Date.UTC(2026, 2, 10, 23, 59, 30) }),
      "tokens/5h: 412 000 of your 400 000 share used; opens 2026-03-11 00:00 UTC",
    ],
    [
      "names seconds when it is less than a minute away",
      refused({ retryAt: NOON + 12_345 }),
      "tokens/5h: 412 000 of your 400 000 share used; opens 12:00:13 UTC",
    ],
    [
      "says nothing of a moment that nobody knows",
      refused({}),
      "tokens/5h: 412 000 of your 400 000 share used",
    ],
    [
      "names the cap, and the cost where the cap has room left",
      refused({ ...at, reason: "cap-absolute", dimension: { used: 90, cap: 100, cost: 20 } }),
      "tokens/5h: 90 of your 100 cap used, and this request needs 20; opens 14:05 UTC",
    ],
    [
      "names a cap that is used up",
      refused({ ...at, reason: "cap-absolute", dimension: { used: 100, cap: 100 } }),
      "tokens/5h: 100 of your 100 cap used; opens 14:05 UTC",
    ],
    [
      "tells of a full pool without its numbers",
      refused({ ...at, reason: "global-saturated", dimension: { used: 5 } }),
      "tokens/5h: 5 of your 400 000 share used, and the pool has no room for this request; opens 14:05 UTC",
    ],
    [
      "tells what is in flight",
      refused({ reason: "in-flight", cause: "fair-share", dimension: { held: 50_000 } }),
      "tokens/5h: 412 000 of your 400 000 share used (50 000 of it in flight); opens when requests in flight end",
    ],
    [
      "tells of a pool that others hold, without their numbers",
      refused({ reason: "in-flight", cause: "global-saturated", dimension: { used: 7, held: 0 } }),
      "tokens/5h: 7 of your 400 000 share used, and the pool has no room for this request; opens when requests in flight end",
    ],
    [
      "tells that a cost above the cap never passes",
      refused({ reason: "too-large", dimension: { cost: 3_000, cap: 2_000 } }),
      "tokens/5h: this request needs 3 000, more than your 2 000 cap, and can never pass; make it smaller",
    ],
    [
      "tells that a cost above the limit never passes, without the limit",
      refused({ reason: "too-large", dimension: { cost: 3_000_000 } }),
      "tokens/5h: this request needs 3 000 000, more than the whole pool, and can never pass; make it smaller",
    ],
    [
      "tells whom to ask",
      refused({ reason: "not-allocated" }),
      "this key has no share of this connection; ask for an allocation in its pool",
    ],
    [
      "asks to come back",
      refused({ reason: "contended" }),
      "too many requests at once for a verdict; try again in a second",
    ],
    [
      "says nothing about the store",
      unavailable,
      "quota cannot be checked at the moment; try again in a second",
    ],
    [
      "writes USD with its decimals, rounded down",
      refused({
        ...at,
        decidedBy: "usd/daily",
        dimension: {
          name: "usd/daily",
          unit: "usd",
          window: "daily",
          used: 1_234_567_890,
          share: 290_000_000,
        },
      }),
      "usd/daily: 1.2345 of your 0.29 share used; opens 14:05 UTC",
    ],
    [
      "writes percent with its decimals",
      refused({
        ...at,
        decidedBy: "percent/5h",
        dimension: { name: "percent/5h", unit: "percent", window: "5h", used: 33_339_999, share: 33_300_000 },
      }),
      "percent/5h: 33.33 of your 33.3 share used; opens 14:05 UTC",
    ],
    [
      "never writes a negative use",
      refused({ ...at, dimension: { used: -3, share: 0 } }),
      "tokens/5h: 0 of your 0 share used; opens 14:05 UTC",
    ],
    [
      "tells how much is unused but held for others, and not for how many",
      underReserve({ bob: 48 }),
      "requests/hourly: 48 of your 30 share used; 52 of the pool are unused but reserved for others; opens 12:00:01 UTC",
    ],
    [
      "tells the most that it can be where nobody has looked at it",
      underReserve({ bob: 48, looked: false }),
      "requests/hourly: 48 of your 30 share used; up to 52 of the pool are unused but reserved for others; opens 12:29 UTC",
    ],
    [
      "does not speak of what nobody holds",
      underReserve({ bob: 48, alice: 50, carol: 2, cost: 1 }),
      "requests/hourly: 48 of your 30 share used, and the pool has no room for this request; opens 12:30 UTC",
    ],
    [
      "tells what is held for others when requests in flight are in the way",
      refused({
        reason: "in-flight",
        cause: "reserved",
        dimension: { held: 2_000, total: 900_000, reserve: HELD },
      }),
      "tokens/5h: 412 000 of your 400 000 share used (2 000 of it in flight); 90 000 of the pool are unused but reserved for others; opens when requests in flight end",
    ],
    [
      "names the borrowing limit where the rule would let it pass",
      underReserve({ bob: 40 }, { most: 40 }),
      "requests/hourly: 40 of your 30 share used, and you may borrow no more; opens 12:30 UTC",
    ],
    [
      "names it under other rules, too",
      decidedUnder("open", { ...sharing({ bob: 40 }), most: 40 }) as Refused,
      "requests/hourly: 40 of your 30 share used, and you may borrow no more",
    ],
    ["copes without the dimension", { ...refused(at), dimensions: [] }, "quota: used up; opens 14:05 UTC"],
  ];
  test.each(messages)("%s", (_sentence, decision, message) => {
    expect(build(decision).body["detail"]).toBe(message);
    expect(JSON.stringify(build(decision, "anthropic").body)).toContain(JSON.stringify(message));
    expect(JSON.stringify(build(decision, "codex").body)).toContain(JSON.stringify(message));
  });

  test("two shares that are spent are both violated; the one that clears last is named", () => {
    const spent = { limit: 100, used: 30, total: 60, share: 30 };
    const decision = decided(
      [asked("requests", "hourly", spent), asked("tokens", "5h", { ...spent, used: 31 })],
      NOON,
    );
    expect(build(decision as Refused).body).toMatchObject({
      "violated-policies": ["hourly-requests", "5h-tokens"],
    });
  });

  test("property: what others used, the pool's limit and the provider's view are told to nobody", () => {
    const secret = fc.integer({ min: 700_000_000, max: 799_999_999 });
    const own = fc.integer({ min: 0, max: 99_999 });
    fc.assert(
      fc.property(
        fc.constantFrom("fair-share", "cap-absolute", "global-saturated", "in-flight", "too-large" as const),
        fc.record({ limit: secret, total: secret, outside: secret, maxAllowed: secret }),
        fc.record({ used: own, held: own, share: own, cost: own }),
        fc.constantFrom<Dialect>("openai", "anthropic", "codex"),
        (reason, secrets, numbers, dialect) => {
          const decision = refused({
            reason,
            cause: "global-saturated",
            retryAt: NOON + 1,
            dimension: { ...secrets, ...numbers },
          });
          const text = JSON.stringify(build(decision, dialect)).replaceAll(" ", "");
          for (const number of Object.values(secrets)) expect(text).not.toContain(String(number));
        },
      ),
    );
  });
});
