import type { Decision, DimensionQuestion } from "@quota/core";
import { buildRefusal, ownRateHeaders, rateHeaderFamilies, type RateHeaderFamily } from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codexLimits, codexRefusal } from "./codexClient.js";
import { asked, decided, decidedUnder, NOON, refused, sharing } from "./decisions.js";

const ALL = new Set<RateHeaderFamily>(["codex", "anthropic-unified", "anthropic", "openai"]);
/** A key with 30 % of a seat, of which it has used a part; of the week the same. In grains, of which a percent has a million. */
function seat(used: number, week: Partial<DimensionQuestion> = {}): DimensionQuestion[] {
  const percent = { limit: 100_000_000, share: 30_000_000, cost: 0 };
  return [
    { ...asked("percent", "5h", { ...percent, used: used * 1_000_000 }), resetsAt: NOON + 3_600_500 },
    { ...asked("percent", "weekly", { ...percent, used: 3_000_000 }), resetsAt: NOON + 86_400_000, ...week },
  ];
}
/** Under reserve, before anybody has looked at the others' reserves. */
const undecided = (bob: number) => decidedUnder("reserve", sharing({ bob, cost: 0, looked: false }));
const told = (decision: Decision, ...families: RateHeaderFamily[]) =>
  Object.fromEntries(ownRateHeaders({ decision, families: new Set(families) }, NOON));

describe("The families of rate headers", () => {
  const cases: [name: string, families: RateHeaderFamily[]][] = [
    ["X-Codex-Primary-Used-Percent", ["codex"]],
    ["x-codex-plan-type", ["codex"]],
    ["anthropic-ratelimit-unified-status", ["anthropic-unified"]],
    ["Anthropic-RateLimit-Input-Tokens-Limit", ["anthropic"]],
    ["x-ratelimit-remaining-tokens", ["openai"]],
    ["retry-after", []],
    ["ratelimit", []],
  ];
  test.each(cases)("%s is of %j", (name, families) => {
    expect([...rateHeaderFamilies({ [name]: "1" })]).toEqual(families);
  });

  test("may come together", () => {
    const headers = { "anthropic-ratelimit-unified-status": "x", "anthropic-ratelimit-tokens-limit": "1" };
    expect(rateHeaderFamilies(headers)).toEqual(new Set(["anthropic-unified", "anthropic"]));
  });
});

describe("A provider's rate headers with a key's own numbers", () => {
  test("of Codex: the part of the share that is used, in whole percent, and nothing of plan or credits", () => {
    expect(told(decided(seat(12.4), NOON), "codex")).toEqual({
      "x-codex-primary-used-percent": "41",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-after-seconds": "3601",
      "x-codex-primary-reset-at": String((NOON + 3_601_000) / 1000),
      "x-codex-secondary-used-percent": "10",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-after-seconds": "86400",
      "x-codex-secondary-reset-at": String(NOON / 1000 + 86_400),
    });
  });

  const fullness: [sentence: string, decision: Decision, percent: string][] = [
    ["is of the share, though less of it is held by now", decidedUnder("reserve", sharing({ bob: 9 })), "33"],
    ["is below 100 where others' reserves may leave room", undecided(30), "99"],
    ["is below 100 where they do", decidedUnder("reserve", sharing({ bob: 30, cost: 0 })), "99"],
    [
      "is 100 where all that is left is theirs",
      decidedUnder("reserve", sharing({ bob: 48, cost: 0 })),
      "100",
    ],
    ["is 100 where the pool is full", undecided(100), "100"],
  ];
  test.each(fullness)("under reserve, what is used %s", (_sentence, decision, percent) => {
    const [dimension] = decision.dimensions;
    const inFiveHours = { ...decision, dimensions: [{ ...dimension!, window: "5h" as const }] } as Decision;
    expect(told(inFiveHours, "codex")).toMatchObject({ "x-codex-primary-used-percent": percent });
  });

  test("of a Claude subscription: fractions, a status for each window, and the fuller one for the whole", () => {
    expect(told(decided(seat(25), NOON), "anthropic-unified")).toEqual({
      "anthropic-ratelimit-unified-5h-status": "allowed_warning",
      "anthropic-ratelimit-unified-5h-utilization": "0.83",
      "anthropic-ratelimit-unified-5h-reset": String((NOON + 3_601_000) / 1000),
      "anthropic-ratelimit-unified-7d-status": "allowed",
      "anthropic-ratelimit-unified-7d-utilization": "0.1",
      "anthropic-ratelimit-unified-7d-reset": String(NOON / 1000 + 86_400),
      "anthropic-ratelimit-unified-status": "allowed_warning",
      "anthropic-ratelimit-unified-reset": String((NOON + 3_601_000) / 1000),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
    });
  });

  test("of API keys: the share and what is left of it, with the reset as each writes it", () => {
    const decision = decided(
      [
        asked("requests", "hourly", { limit: 100, used: 10, share: 30 }),
        asked("tokens", "5h", { limit: 9_000, used: 1_000, share: 4_000, cost: 500 }),
        asked("tokens", "daily", { limit: 90_000, used: 1_000, share: 40_000, cost: 500 }),
        asked("usd", "daily", { limit: 90_000, used: 1_000, share: 40_000 }),
      ],
      NOON,
    );
    expect(told(decision, "openai")).toEqual({
      "x-ratelimit-limit-requests": "30",
      "x-ratelimit-remaining-requests": "19",
      "x-ratelimit-reset-requests": "1h0m0s",
      "x-ratelimit-limit-tokens": "4000",
      "x-ratelimit-remaining-tokens": "2500",
      "x-ratelimit-reset-tokens": "5h0m0s",
    });
    expect(told(decision, "anthropic")).toEqual({
      "anthropic-ratelimit-requests-limit": "30",
      "anthropic-ratelimit-requests-remaining": "19",
      "anthropic-ratelimit-requests-reset": "2026-03-10T13:00:00Z",
      "anthropic-ratelimit-tokens-limit": "4000",
      "anthropic-ratelimit-tokens-remaining": "2500",
      "anthropic-ratelimit-tokens-reset": "2026-03-10T17:00:00Z",
    });
  });

  const spans: [ms: number, text: string][] = [
    [1, "1s"],
    [59_001, "1m0s"],
    [360_000, "6m0s"],
    [15_125_000, "4h12m5s"],
  ];
  test.each(spans)("of OpenAI write a reset in %d ms as %s", (ms, text) => {
    const question = { ...asked("requests", "daily", { limit: 9, used: 1, share: 3 }), resetsAt: NOON + ms };
    expect(told(decided([question], NOON), "openai")["x-ratelimit-reset-requests"]).toBe(text);
  });

  const dropped: [sentence: string, decision: Decision][] = [
    [
      "the plan has other units and windows",
      decided([asked("usd", "daily", { limit: 9, used: 1, share: 3 })], NOON),
    ],
    ["the limit is unknown", decided([asked("tokens", "5h", { limit: "unknown", used: 1 })], NOON)],
    ["nobody shares", { status: "ungoverned", allowed: true, why: "no-pool", dimensions: [] }],
    ["nobody judged", { status: "unjudged", allowed: true, cause: new Error("down"), dimensions: [] }],
  ];
  test.each(dropped)("are left out where %s", (_sentence, decision) => {
    expect([...ownRateHeaders({ decision, families: ALL }, NOON)]).toEqual([]);
  });

  test("of two units in one window tell the fuller, and of a key without a share that it is at its end", () => {
    const both = decided(
      [
        asked("requests", "5h", { limit: 1_000, used: 10, share: 100 }),
        asked("tokens", "5h", { limit: 1_000, used: 66, share: 100 }),
      ],
      NOON,
    );
    expect(told(both, "codex")["x-codex-primary-used-percent"]).toBe("67");
    const without = decided([asked("tokens", "5h", { limit: 1_000, used: 0, share: 0 })], NOON);
    expect(told(without, "codex")["x-codex-primary-used-percent"]).toBe("99");
  });

  test("say that nothing passes in the dimension that refused, until it opens, and what is true of the other", () => {
    const decision = { ...decided(seat(5, { total: 100_000_000 }), NOON), retryAt: NOON + 7_200_000 };
    expect(decision).toMatchObject({ status: "refused", decidedBy: "percent/weekly" });
    expect(told(decision, "codex", "anthropic-unified")).toMatchObject({
      "x-codex-primary-used-percent": "16",
      "x-codex-secondary-used-percent": "100",
      "x-codex-secondary-reset-at": String(NOON / 1000 + 7_200),
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-representative-claim": "seven_day",
    });
  });

  test("property: Codex reads two windows, from 0 to 100, and 100 only where nothing passes", () => {
    const part = fc.integer({ min: 0, max: 100_000_000 });
    const window = fc.record({
      used: part,
      others: part,
      share: part,
      cost: fc.constantFrom(0, 1, 5_000_000),
    });
    fc.assert(
      fc.property(fc.tuple(window, window), fc.constantFrom("hard", "soft", "burst"), (windows, policy) => {
        const decision = decided(
          windows.map(({ used, others, share, cost }, i) => ({
            ...asked("percent", i === 0 ? "5h" : "weekly", {
              limit: 100_000_000,
              used,
              total: used + others,
              share,
              cost,
            }),
            resetsAt: NOON + 1_000 + i,
          })),
          NOON,
          policy,
        );
        const headers = ownRateHeaders({ decision, families: ALL }, NOON);
        const { primary, secondary, hasCredits } = codexLimits((name) => headers.get(name));
        expect([primary?.windowMinutes, secondary?.windowMinutes, hasCredits]).toEqual([300, 10_080, false]);
        [primary!, secondary!].forEach(({ usedPercent, resetsAt }, i) => {
          const { available, refusal, cost, share, used } = decision.dimensions[i]!;
          expect(Number.isInteger(usedPercent) && usedPercent >= 0).toBe(true);
          const passes =
            (refusal === undefined || refusal === "too-large") &&
            (available as number) > (decision.allowed ? cost : 0);
          expect(usedPercent === 100).toBe(!passes);
          expect(usedPercent).toBeLessThanOrEqual(100);
          const after = used + (decision.allowed ? cost : 0);
          if (passes && after < share!)
            expect(usedPercent).toBe(Math.min(99, Math.floor((after * 100) / share!)));
          expect(resetsAt).toBeGreaterThan(NOON / 1000);
        });
      }),
    );
  });
});

describe("A refusal in the dialect of Codex, read as Codex reads it", () => {
  test("is a usage limit with its reset and both windows, without a plan", () => {
    const decision = { ...decided(seat(31, { total: 60_000_000 }), NOON), retryAt: NOON + 3_600_500 };
    const strict = refused({
      decidedBy: "percent/5h",
      retryAt: NOON + 3_600_500,
      dimension: { ...decision.dimensions[0]!, mode: "strict", available: 0, refusal: "fair-share" },
    });
    const { headers, body } = buildRefusal(
      {
        decision: { ...strict, dimensions: [...strict.dimensions, decision.dimensions[1]!] },
        dialect: "codex",
        requestId: "r",
      },
      NOON,
    );
    expect(codexRefusal((name) => headers[name], body)).toEqual({
      kind: "usage-limit",
      resetsAt: NOON / 1000 + 3_601,
      plan: undefined,
      limits: {
        primary: { usedPercent: 100, windowMinutes: 300, resetsAt: NOON / 1000 + 3_601 },
        secondary: { usedPercent: 10, windowMinutes: 10_080, resetsAt: NOON / 1000 + 86_400 },
        hasCredits: false,
      },
    });
  });

  test("in other dialects carries what their clients read, and nothing of Codex", () => {
    const names = (dialect: "openai" | "anthropic") =>
      Object.keys(
        buildRefusal({ decision: refused({ retryAt: NOON + 1 }), dialect, requestId: "r" }, NOON).headers,
      ).filter((name) => /^(?:x-codex|anthropic-ratelimit|x-ratelimit)-/u.test(name));
    expect(names("openai")).toEqual([]);
    expect(names("anthropic")).toEqual([
      "anthropic-ratelimit-unified-5h-status",
      "anthropic-ratelimit-unified-5h-utilization",
      "anthropic-ratelimit-unified-5h-reset",
      "anthropic-ratelimit-unified-status",
      "anthropic-ratelimit-unified-reset",
      "anthropic-ratelimit-unified-representative-claim",
      "anthropic-ratelimit-tokens-limit",
      "anthropic-ratelimit-tokens-remaining",
      "anthropic-ratelimit-tokens-reset",
    ]);
  });
});
