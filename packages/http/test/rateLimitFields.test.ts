import type { Decision } from "@quota/core";
import { rateLimitFields } from "@quota/http";
import fc from "fast-check";
import { parseList } from "structured-headers";
import { describe, expect, test } from "vitest";
import { asked, decided, decidedUnder, NOON, refused, sharing } from "./decisions.js";

describe("The RateLimit fields of an answer", () => {
  const TOKENS = ';quota-unit="tokens"';
  const cases: [
    sentence: string,
    decision: Decision,
    policy: string | undefined,
    limit: string | undefined,
  ][] = [
    [
      "tell the share, and what is left of it after this request",
      decided([asked("requests", "hourly", { limit: 100, used: 10, share: 30, cost: 1 })], NOON),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=19;t=3600',
    ],
    [
      "have an item per dimension",
      decided(
        [
          asked("requests", "hourly", { limit: 100, used: 0, share: 30 }),
          asked("tokens", "5h", { limit: 1000, used: 100, share: 400, cost: 50 }),
        ],
        NOON + 1_800_000,
      ),
      `"hourly-requests";q=30;w=3600;qu="requests", "5h-tokens";q=400;w=18000${TOKENS}`,
      '"hourly-requests";r=29;t=1800, "5h-tokens";r=250;t=16200',
    ],
    [
      "say that a generous pool lends when the share is spent",
      decided([asked("requests", "hourly", { limit: 100, used: 40, share: 30 })], NOON),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=0;t=3600;quota-lending=1',
    ],
    [
      "do not say so once the pool is strict",
      decided([asked("requests", "hourly", { limit: 100, used: 29, total: 60, share: 30 })], NOON),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=0;t=3600',
    ],
    [
      "say that a burst key passes on",
      decided([asked("requests", "hourly", { limit: 100, used: 40, total: 60, share: 30 })], NOON, "burst"),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=0;t=3600;quota-lending=1',
    ],
    [
      "tell what is left of the share, and not what the pool has left of it",
      decided([asked("requests", "hourly", { limit: 100, used: 0, total: 97, share: 30 })], NOON),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=29;t=3600',
    ],
    [
      "leave nothing to a request for which the pool has no room",
      decided([asked("requests", "hourly", { limit: 100, used: 0, total: 97, share: 30, cost: 5 })], NOON),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=0;t=3600',
    ],
    [
      "end where a fixed window ends",
      decided(
        [
          {
            ...asked("requests", "hourly", { limit: 100, used: 1, share: 30 }),
            resetsAt: NOON + 61_001,
          },
        ],
        NOON,
      ),
      '"hourly-requests";q=30;w=3600;qu="requests"',
      '"hourly-requests";r=28;t=62',
    ],
    [
      "tell a cap that is smaller than the share",
      decided([asked("requests", "hourly", { limit: 100, used: 3, share: 30, cap: 10 })], NOON),
      '"hourly-requests";q=10;w=3600;qu="requests"',
      '"hourly-requests";r=6;t=3600',
    ],
    [
      "tell a cap where the limit is unknown",
      decided([asked("tokens", "weekly", { limit: "unknown", used: 3, cap: 10 })], NOON),
      `"weekly-tokens";q=10;w=604800${TOKENS}`,
      '"weekly-tokens";r=6;t=129600',
    ],
    [
      "say nothing where there is neither share nor cap",
      decided([asked("tokens", "5h", { limit: "unknown", used: 3 })], NOON),
      undefined,
      undefined,
    ],
    [
      "write percent in basis points, rounded down",
      decided(
        [asked("percent", "5h", { limit: 100_000_000, used: 1_005_001, share: 33_300_000, cost: 0 })],
        NOON,
      ),
      '"5h-percent";q=3330;w=18000;quota-unit="basis-points"',
      '"5h-percent";r=3229;t=18000',
    ],
    [
      "write USD in micro-dollars",
      decided(
        [
          asked("usd", "daily", {
            limit: 10_000_000_000,
            used: 250_000_000,
            share: 2_500_000_000,
            cost: 1_500,
          }),
        ],
        NOON,
      ),
      '"daily-usd";q=2500000;w=86400;quota-unit="micro-usd"',
      '"daily-usd";r=2249998;t=43200',
    ],
    [
      "name a key without a share of its own",
      decided([asked("requests", "hourly", { limit: 100, used: 0, share: 0 })], NOON),
      '"hourly-requests";q=0;w=3600;qu="requests"',
      '"hourly-requests";r=0;t=3600;quota-lending=1',
    ],
    [
      "do not charge a refused request",
      refused({ reason: "too-large", dimension: { used: 100_000, cost: 2_000_000, available: 900_000 } }),
      `"5h-tokens";q=400000;w=18000${TOKENS}`,
      '"5h-tokens";r=300000;t=18000',
    ],
    [
      "end with the wait for what is in flight",
      refused({ reason: "in-flight" }),
      `"5h-tokens";q=400000;w=18000${TOKENS}`,
      '"5h-tokens";r=0;t=5',
    ],
    [
      "end with the wait of the dimension that decided",
      refused({ retryAt: NOON + 90_001 }),
      `"5h-tokens";q=400000;w=18000${TOKENS}`,
      '"5h-tokens";r=0;t=91',
    ],
  ];
  const UNDER_RESERVE = '"hourly-requests";q=30;w=3600;qu="requests"';
  cases.push(
    [
      "tell, under reserve, what is still held for the key, and not what is left of its share",
      decidedUnder("reserve", sharing({ bob: 0 })),
      UNDER_RESERVE,
      '"hourly-requests";r=21;t=1800',
    ],
    [
      "tell what is left of the share where all of that is held",
      decidedUnder("reserve", sharing({ bob: 20 })),
      UNDER_RESERVE,
      '"hourly-requests";r=9;t=1800',
    ],
    [
      "say that what is held for nobody is lent",
      decidedUnder("reserve", sharing({ bob: 30 })),
      UNDER_RESERVE,
      '"hourly-requests";r=0;t=1800;quota-lending=1',
    ],
    [
      "do not say so where it is not known",
      decidedUnder("reserve", sharing({ bob: 30, cost: 0, looked: false })),
      UNDER_RESERVE,
      '"hourly-requests";r=0;t=1800',
    ],
    [
      "do not say so where all that is left is held for others",
      decidedUnder("reserve", sharing({ bob: 48, cost: 0 })),
      UNDER_RESERVE,
      '"hourly-requests";r=0;t=1800',
    ],
    [
      "end, for what is reserved, with the wait",
      decidedUnder("reserve", sharing({ bob: 48 })),
      UNDER_RESERVE,
      '"hourly-requests";r=0;t=1',
    ],
    [
      "lend nothing under static",
      decidedUnder("static", sharing({ bob: 29 })),
      UNDER_RESERVE,
      '"hourly-requests";r=0;t=1800',
    ],
    [
      "lend all of it under open",
      decidedUnder("open", sharing({ bob: 70 })),
      UNDER_RESERVE,
      '"hourly-requests";r=0;t=1800;quota-lending=1',
    ],
  );
  // At noon a window of an hour and one of 5 h begin; the item of each dimension is read half an hour later.
  test.each(cases)("%s", (_sentence, decision, policy, limit) => {
    const fields = rateLimitFields(decision, NOON + (policy?.includes(", ") ? 1_800_000 : 0));
    expect(fields["ratelimit-policy"]).toBe(policy);
    expect(fields.ratelimit).toBe(limit);
  });

  test("an answer that nobody judged says so and has no numbers", () => {
    const cause = new Error("down");
    expect(rateLimitFields({ status: "unjudged", allowed: true, cause, dimensions: [] }, NOON)).toEqual({
      "quota-status": "unjudged",
    });
  });

  test("an answer outside every pool says nothing", () => {
    expect(
      rateLimitFields({ status: "ungoverned", allowed: true, why: "no-pool", dimensions: [] }, NOON),
    ).toEqual({});
    expect(rateLimitFields(refused({ reason: "not-allocated" }), NOON)).toEqual({});
  });

  test("a deprioritized answer says so beside its numbers", () => {
    const decision = decided(
      [asked("requests", "hourly", { limit: 100, used: 40, total: 60, share: 30 })],
      NOON,
      "soft",
    );
    expect(rateLimitFields(decision, NOON)).toMatchObject({
      "quota-status": "deprioritized",
      ratelimit: '"hourly-requests";r=0;t=3600;quota-lending=1',
    });
  });

  test("property: an independent parser reads lists of strings with whole numbers that are never negative", () => {
    const grains = fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true });
    const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(
        fc.constantFrom("percent", "requests", "tokens", "usd" as const),
        fc.constantFrom("hourly", "5h", "daily", "weekly", "monthly" as const),
        fc.record({
          used: grains,
          more: grains,
          share: whole,
          cost: whole,
          limit: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        }),
        fc.integer({ min: 0, max: 4_000_000_000_000 }),
        (unit, window, { used, more, ...rest }, now) => {
          const fields = rateLimitFields(
            decided([asked(unit, window, { ...rest, used, total: used + more })], now),
            now,
          );
          const [[policyName, policy]] = parseList(fields["ratelimit-policy"]!) as [
            [string, Map<string, unknown>],
          ];
          const [[name, limit]] = parseList(fields.ratelimit!) as [[string, Map<string, unknown>]];
          expect(name).toBe(`${window}-${unit}`);
          expect(policyName).toBe(name);
          for (const number of [policy.get("q"), policy.get("w"), limit.get("r"), limit.get("t")]) {
            expect(Number.isSafeInteger(number)).toBe(true);
            expect(number).toBeGreaterThanOrEqual(0);
          }
          expect(limit.get("r")).toBeLessThanOrEqual(policy.get("q") as number);
          expect(limit.get("t")).toBeLessThanOrEqual(policy.get("w") as number);
        },
      ),
    );
  });
});
