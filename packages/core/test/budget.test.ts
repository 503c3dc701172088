import {
  budgetSpan,
  budgetSpec,
  checkBudget,
  parseBudget,
  type Budget,
  type BudgetPeriod,
  type BudgetSpec,
  type BudgetStanding,
} from "@quota/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const NOW = Date.UTC(2026, 2, 10, 12);

function budget(spec: Partial<BudgetSpec> = {}, now = NOW): Budget {
  const parsed = parseBudget({ limitUsd: 20, period: "month", ...spec }, now);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.value;
}

describe("a budget as people write it", () => {
  test("says its limit and its period, and the rest is filled in", () => {
    expect(budget()).toEqual({
      limit: 20e9,
      period: "month",
      timeZone: "UTC",
      since: 0,
      whenUnpriced: "allow",
    });
  });

  test("once and for all begins now, or when it says", () => {
    expect(budget({ period: "once" }, NOW + 0.7).since).toBe(NOW);
    expect(budget({ period: "once", since: 5 }).since).toBe(5);
  });

  test.each([
    [0, 0],
    [0.000_000_001, 1],
    [0.1 + 0.2, "not"],
    [0.3, 300_000_000],
    [9_007_199, 9_007_199e9],
    [9_007_200, "not"],
    [-0, 0],
    [-1, "not"],
    [1e-10, "not"],
    [NaN, "not"],
    [Infinity, "not"],
  ])("of %d dollars is %s nano-dollars", (limitUsd, limit) => {
    const parsed = parseBudget({ limitUsd, period: "day" }, NOW);
    expect(parsed.ok ? parsed.value.limit : "not").toBe(limit);
  });

  test.each<[string, unknown, readonly string[]]>([
    ["no object", [], [""]],
    ["nothing", {}, ["limitUsd", "period"]],
    ["an unknown period", { limitUsd: 1, period: "year" }, ["period"]],
    ["an unknown zone", { limitUsd: 1, period: "day", timeZone: "Mars/Olympus" }, ["timeZone"]],
    ["an offset for a zone", { limitUsd: 1, period: "day", timeZone: "+02:00" }, ["timeZone"]],
    ["no text for a zone", { limitUsd: 1, period: "day", timeZone: 7 }, ["timeZone"]],
    ["a beginning of its own, and a calendar's", { limitUsd: 1, period: "day", since: 5 }, ["since"]],
    ["half a millisecond", { limitUsd: 1, period: "once", since: 0.5 }, ["since"]],
    ["a moment later than any date", { limitUsd: 1, period: "once", since: 8.64e15 + 1 }, ["since"]],
    ["a word that is none", { limitUsd: 1, period: "day", whenUnpriced: "deny" }, ["whenUnpriced"]],
    [
      "all of it",
      { limitUsd: "1", period: 1, timeZone: null, since: -1, whenUnpriced: 0 },
      ["limitUsd", "period", "timeZone", "since", "whenUnpriced"],
    ],
  ])("is refused where it has %s", (_, input, paths) => {
    const parsed = parseBudget(input, NOW);
    expect(parsed.ok ? [] : parsed.faults.map(({ path }) => path)).toEqual(paths);
  });

  test("property: is the same when it is written, and read again at another time", () => {
    const cents = fc.oneof(
      fc.nat(9_007_199_000).map((milli) => milli / 1e3),
      fc.nat(1e9).map((nano) => nano / 1e9),
    );
    const spec = fc.oneof(
      fc.record({
        limitUsd: cents,
        period: fc.constantFrom<BudgetPeriod>("day", "week", "month"),
        timeZone: fc.constantFrom("UTC", "Europe/Paris", "Asia/Tokyo"),
        whenUnpriced: fc.constantFrom("allow" as const, "refuse" as const),
      }),
      fc.record({
        limitUsd: cents,
        period: fc.constant("once" as const),
        since: fc.option(fc.nat(), { nil: undefined }),
      }),
    );
    fc.assert(
      fc.property(spec, fc.nat(), (input, later) => {
        const written = JSON.stringify(budgetSpec(budget(input)));
        expect(budget(JSON.parse(written) as BudgetSpec, later)).toEqual(budget(input));
      }),
      { numRuns: 60 },
    );
  });
});

describe("the period of a budget", () => {
  const at = (text: string): number => Date.parse(text);

  test.each<[string, Partial<BudgetSpec>, string, string, string]>([
    ["a day in UTC", { period: "day" }, "2026-03-10T12:00Z", "2026-03-10T00:00Z", "2026-03-11T00:00Z"],
    [
      "a week from Monday",
      { period: "week" },
      "2026-03-15T23:59:59.999Z",
      "2026-03-09T00:00Z",
      "2026-03-16T00:00Z",
    ],
    ["a month", { period: "month" }, "2026-02-28T12:00Z", "2026-02-01T00:00Z", "2026-03-01T00:00Z"],
    [
      "the new year of Tokyo",
      { period: "month", timeZone: "Asia/Tokyo" },
      "2025-12-31T15:00Z",
      "2025-12-31T15:00Z",
      "2026-01-31T15:00Z",
    ],
    [
      "a quarter past in Kathmandu",
      { period: "day", timeZone: "Asia/Kathmandu" },
      "2026-03-10T18:14Z",
      "2026-03-09T18:15Z",
      "2026-03-10T18:15Z",
    ],
    [
      "23 hours, when Paris goes to summer time",
      { period: "day", timeZone: "Europe/Paris" },
      "2026-03-29T10:00Z",
      "2026-03-28T23:00Z",
      "2026-03-29T22:00Z",
    ],
    [
      "25 hours, when it goes back",
      { period: "day", timeZone: "Europe/Paris" },
      "2026-10-25T10:00Z",
      "2026-10-24T22:00Z",
      "2026-10-25T23:00Z",
    ],
    [
      "a week with a change of clocks",
      { period: "week", timeZone: "America/New_York" },
      "2026-03-08T12:00Z",
      "2026-03-02T05:00Z",
      "2026-03-09T04:00Z",
    ],
    [
      "a day that has no midnight",
      { period: "day", timeZone: "Asia/Beirut" },
      "2026-03-29T12:00Z",
      "2026-03-28T22:00Z",
      "2026-03-29T21:00Z",
    ],
  ])("is %s", (_, spec, now, opens, ends) => {
    expect(budgetSpan(budget(spec), at(now))).toEqual({ opens: at(opens), ends: at(ends) });
  });

  test("once and for all never ends", () => {
    const span = { opens: 5, ends: "never" };
    expect(budgetSpan(budget({ period: "once", since: 5 }), NOW)).toEqual(span);
    expect(budgetSpan(budget({ period: "once", since: 5 }), 1)).toEqual(span);
  });

  test("property: periods follow each other without a gap, and every moment lies in the one that is found for it", () => {
    const spec = fc.record({
      period: fc.constantFrom<BudgetPeriod>("day", "week", "month"),
      timeZone: fc.constantFrom(
        "UTC",
        "Europe/Paris",
        "America/Sao_Paulo",
        "Australia/Lord_Howe",
        "Pacific/Apia",
      ),
    });
    fc.assert(
      fc.property(spec, fc.integer({ min: 0, max: Date.UTC(2040, 0) }), (given, now) => {
        const known = budget(given);
        const { opens, ends } = budgetSpan(known, now);
        if (ends === "never") throw new Error("It ends.");
        expect(opens <= now && now < ends).toBe(true);
        expect(budgetSpan(known, ends).opens).toBe(ends);
        expect(budgetSpan(known, opens - 1).ends).toBe(opens);
        // A copy has lost what finds periods quickly.
        expect(budgetSpan({ ...known }, now)).toEqual({ opens, ends });
      }),
      { numRuns: 60 },
    );
  });
});

describe("what a budget says to a request", () => {
  const subject = { kind: "key", id: "alice" } as const;
  const standing = (spent: bigint, pending: bigint, known = budget({ limitUsd: 1e-7 })): BudgetStanding => ({
    subject,
    budget: known,
    span: budgetSpan(known, NOW),
    spent,
    pending,
  });
  const inWords = (asked: BudgetStanding, estimate: number | "unpriced"): unknown[] => {
    const decision = checkBudget(asked, estimate);
    return decision.allowed ? ["allowed"] : [decision.reason, decision.retryAt];
  };
  const APRIL = Date.UTC(2026, 3);

  test.each<[string, BudgetStanding, number | "unpriced", unknown[]]>([
    ["what just fits passes", standing(90n, 5n), 5, ["allowed"]],
    [
      "one nano-dollar more does not, until the period ends",
      standing(90n, 5n),
      6,
      ["budget-exceeded", APRIL],
    ],
    ["what is pending counts as if it were spent", standing(0n, 96n), 5, ["budget-exceeded", APRIL]],
    ["what is free passes, whatever was spent", standing(500n, 5n), 0, ["allowed"]],
    ["more than the whole budget never passes", standing(0n, 0n), 101, ["budget-exceeded", undefined]],
    [
      "a budget of nothing lets nothing pass that costs",
      standing(0n, 0n, budget({ limitUsd: 0 })),
      1,
      ["budget-exceeded", undefined],
    ],
    [
      "once and for all, no time helps",
      standing(100n, 0n, budget({ limitUsd: 1e-7, period: "once" })),
      1,
      ["budget-exceeded", undefined],
    ],
    ["without a price it passes, unless the budget says no", standing(500n, 0n), "unpriced", ["allowed"]],
    [
      "and is refused where it says so, whatever is left",
      standing(0n, 0n, budget({ whenUnpriced: "refuse" })),
      "unpriced",
      ["budget-unpriced", undefined],
    ],
    [
      "sums past 2^53 are exact",
      standing(2n ** 60n, 1n, { ...budget(), limit: Number.MAX_SAFE_INTEGER }),
      1,
      ["budget-exceeded", APRIL],
    ],
  ])("%s", (_, asked, estimate, words) => expect(inWords(asked, estimate)).toEqual(words));

  test("property: it never lets the sum go above the budget, nor refuses what fits", () => {
    const amount = fc.oneof(fc.nat(50), fc.nat());
    fc.assert(
      fc.property(amount, amount, amount, amount, (limit, spent, pending, estimate) => {
        const asked = standing(BigInt(spent), BigInt(pending), { ...budget(), limit });
        const decision = checkBudget(asked, estimate);
        expect(decision.allowed).toBe(estimate === 0 || spent + pending + estimate <= limit);
        if (!decision.allowed) expect(decision).toMatchObject({ standing: asked, estimate });
      }),
    );
  });

  test("property: what it refuses until a moment passes then, if nobody else acts", () => {
    const amount = fc.nat(50);
    fc.assert(
      fc.property(amount, amount, amount, (limit, spent, estimate) => {
        const known = { ...budget({ period: "day", timeZone: "Europe/Paris" }), limit };
        const decision = checkBudget(standing(BigInt(spent), 0n, known), estimate);
        if (decision.allowed || decision.retryAt === undefined) return;
        const then = { ...standing(0n, 0n, known), span: budgetSpan(known, decision.retryAt) };
        expect(then.span.opens).toBe(decision.retryAt);
        expect(checkBudget(then, estimate).allowed).toBe(true);
      }),
    );
  });
});
