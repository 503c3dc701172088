import {
  parseDimensions,
  parsePoolTerms,
  resolvePlan,
  type Allowed,
  type Decision,
  type DimensionQuestion,
  type Pool,
  type PoolUsage,
  type ProviderReading,
} from "@quota/core";
import {
  burnJson,
  decisionJson,
  lendingPreviewJson,
  ownUsageJson,
  parseEstimateQuery,
  planJson,
  poolJson,
  rateRefusalJson,
  usageJson,
} from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asked, decided, decidedUnder, NOON, sharing } from "./decisions.js";

function pool(input: object): Pool {
  const terms = parsePoolTerms({ connectionId: "seat", name: "Team", ...input });
  if (!terms.ok) throw new Error(JSON.stringify(terms.faults));
  return { ...terms.value, id: "team", incarnation: "secret-incarnation", version: 3, createdAt: NOON };
}

/** What a client gets: JSON has no undefined. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A window that no plan has. */
const SONNET: ProviderReading = {
  provider: "anthropic",
  unit: "percent",
  window: "7d_sonnet",
  scope: "sonnet",
  utilization: 0.5,
  receivedAt: 1_000,
  source: "test",
};

describe("A pool in the REST API", () => {
  test("has the members that are set, and allocations as they were written, caps in units", () => {
    const allocations = [
      { apiKeyId: "alice", weight: 50, policy: "soft", capValue: 2.5, capUnit: "usd", capWindow: "daily" },
      { apiKeyId: "__proto__", weight: 33.3, policy: "hard", capValue: 7, capUnit: "requests" },
      { apiKeyId: "carol", weight: 0, policy: "burst" },
    ];
    expect(
      sent(poolJson(pool({ allocations, saturationThreshold: 0, whenStoreFails: "deny", shadow: "static" }))),
    ).toStrictEqual({
      id: "team",
      connectionId: "seat",
      name: "Team",
      unallocated: "borrow",
      saturationThreshold: 0,
      whenStoreFails: "deny",
      lending: "threshold",
      shadow: "static",
      version: 3,
      createdAt: NOON,
      allocations,
    });
    expect(Object.keys(poolJson(pool({})))).not.toContain("saturationThreshold");
  });

  test("property: can be sent back as it is and is the same pool again", () => {
    const allocation = fc.record(
      {
        apiKeyId: fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
        weight: fc.double({ min: 0, max: 4, noNaN: true }),
        policy: fc.constantFrom("hard", "soft", "burst"),
        cap: fc.option(
          fc.record({
            capValue: fc.integer({ min: 1, max: 1e6 }),
            capUnit: fc.constantFrom("requests", "tokens", "usd", "percent"),
            capWindow: fc.option(fc.constantFrom("5h", "monthly"), { nil: undefined }),
          }),
          { nil: undefined },
        ),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(allocation, { maxLength: 20, selector: ({ apiKeyId }) => apiKeyId }),
        (list) => {
          const before = pool({ allocations: list.map(({ cap, ...rest }) => ({ ...rest, ...cap })) });
          const { id, version, createdAt, ...terms } = sent(poolJson(before)) as ReturnType<typeof poolJson>;
          expect({ id, version, createdAt }).toEqual({ id: "team", version: 3, createdAt: NOON });
          expect(pool(terms)).toEqual(before);
        },
      ),
    );
  });
});

describe("A pool's lending in the REST API", () => {
  const rules: [written: unknown, shown: unknown][] = [
    ["reserve", "reserve"],
    [{ rule: "reserve" }, "reserve"],
    [{ rule: "reserve", curve: "pace" }, "reserve"],
    [{ rule: "static" }, "static"],
    [
      { rule: "reserve", curve: { hold: 2 } },
      { rule: "reserve", curve: { hold: 2 } },
    ],
  ];
  test.each(rules)("is written %j and shown %j", (written, shown) => {
    const json = poolJson(pool({ lending: written, shadow: written }));
    expect([json.lending, json.shadow]).toEqual([shown, shown]);
    expect(poolJson(pool({}))).not.toHaveProperty("shadow");
  });

  test("is, of an allocation, what was written", () => {
    const allocations = [
      { apiKeyId: "alice", weight: 50, policy: "hard", lend: false, borrowingLimit: 0 },
      { apiKeyId: "bob", weight: 30, policy: "hard", lendingLimit: 12.5 },
      { apiKeyId: "carol", weight: 20, policy: "hard" },
    ];
    expect(sent(poolJson(pool({ lending: "reserve", allocations })).allocations)).toStrictEqual(allocations);
  });
});

test("What another lending rule would leave to each key is told in units", () => {
  const key = (available: number | "unlimited", retryAt?: number) => ({ available, retryAt });
  expect(
    lendingPreviewJson({
      ...{ poolId: "team", generatedAt: NOON, from: "threshold", to: "reserve" },
      dimensions: [
        {
          dimension: { unit: "usd", window: "daily" },
          perKey: [{ apiKeyId: "__proto__", before: key(0, NOON + 9), after: key(2_500_000_000) }],
        },
        {
          dimension: { unit: "tokens", window: "5h" },
          perKey: [{ apiKeyId: "bob", before: key("unlimited"), after: key(7) }],
        },
      ],
    }),
  ).toStrictEqual({
    ...{ poolId: "team", generatedAt: NOON, from: "threshold", to: "reserve" },
    dimensions: [
      {
        ...{ unit: "usd", window: "daily" },
        perKey: [
          { apiKeyId: "__proto__", before: { available: 0, retryAt: NOON + 9 }, after: { available: 2.5 } },
        ],
      },
      {
        ...{ unit: "tokens", window: "5h" },
        perKey: [{ apiKeyId: "bob", before: { available: "unlimited" }, after: { available: 7 } }],
      },
    ],
  });
});

test("A plan in the REST API is what one would write to store it, with its source", () => {
  const dimensions = [
    { unit: "requests", window: "hourly", limit: 1500 },
    { unit: "usd", window: "daily", limit: 0.25, slots: 6, edge: "full" },
    { unit: "percent", window: "weekly", limit: 100, anchor: "epoch" },
    { unit: "tokens", window: "5h", limit: "unknown" },
  ];
  const parsed = parseDimensions(dimensions);
  if (!parsed.ok) throw new Error("the plan does not parse");
  const plan = resolvePlan({ connectionId: "seat", provider: "kimi", override: parsed.value });
  expect(sent(planJson(plan))).toStrictEqual({
    connectionId: "seat",
    provider: "kimi",
    source: "manual",
    dimensions,
  });
});

describe("A pool's usage in the REST API", () => {
  const dimension = (unit: "usd" | "tokens", limit: number | "unknown") => {
    const parsed = parseDimensions([{ unit, window: "daily", limit }]);
    if (!parsed.ok) throw new Error("the dimension does not parse");
    return parsed.value[0]!;
  };

  test("is in units, grains nowhere, and has no shares where there is no limit", () => {
    const usage: PoolUsage = {
      poolId: "team",
      generatedAt: NOON,
      burnRate: { tokensPerSecond: 2, timeToExhaustionMs: null },
      signals: [{ reading: SONNET, stale: true }],
      dimensions: [
        {
          dimension: dimension("usd", 10),
          limitFrom: "plan",
          anchoredBy: "provider",
          reading: { utilization: 0.85, receivedAt: NOON - 1, stale: false },
          measured: 0,
          attributed: 7_000_000_000,
          provisional: 500_000_000,
          lending: "reserve",
          mode: "strict",
          strictFrom: undefined,
          globalUsedPercent: 0.8,
          used: 9_000_000_000,
          consumedTotal: 7_500_000_000,
          unallocated: 3_500_000_000,
          held: 500_000_000,
          outside: 1_000_000_000,
          free: 1_000_000_000,
          reserved: 1_500_000_000,
          spare: -500_000_000,
          windowFrom: NOON - 3,
          elapsed: 0.75,
          opensAt: NOON + 1,
          burnRate: { perSecond: 1_000_000, timeToExhaustionMs: 2_000_000 },
          perKey: [
            {
              apiKeyId: "constructor",
              consumed: 4_000_000_000,
              held: 250_000_000,
              fairShare: 5_000_000_000,
              deficit: -750_000_000,
              borrowing: false,
              remaining: 750_000_000,
              reserve: 250_000_000,
              available: 1_000_000_000,
              retryAt: undefined,
            },
          ],
        },
        {
          dimension: dimension("tokens", "unknown"),
          limitFrom: "plan",
          anchoredBy: "rolling",
          reading: undefined,
          measured: 12,
          attributed: 0,
          provisional: 0,
          lending: "threshold",
          mode: "unknown",
          strictFrom: undefined,
          globalUsedPercent: undefined,
          used: 12,
          consumedTotal: 12,
          unallocated: 0,
          held: 0,
          outside: 0,
          free: undefined,
          reserved: undefined,
          spare: undefined,
          windowFrom: undefined,
          elapsed: undefined,
          opensAt: undefined,
          burnRate: { perSecond: 2, timeToExhaustionMs: null },
          perKey: [
            {
              apiKeyId: "bob",
              consumed: 12,
              held: 0,
              fairShare: undefined,
              deficit: undefined,
              borrowing: false,
              remaining: undefined,
              reserve: undefined,
              available: "unlimited",
              retryAt: NOON + 5,
            },
          ],
        },
      ],
    };
    const json = usageJson(usage);
    expect(json).toStrictEqual({
      poolId: "team",
      generatedAt: NOON,
      burnRate: { tokensPerSecond: 2, timeToExhaustionMs: null },
      signals: [{ ...SONNET, stale: true }],
      dimensions: [
        {
          unit: "usd",
          window: "daily",
          limit: 10,
          limitFrom: "plan",
          anchoredBy: "provider",
          reading: { utilization: 0.85, receivedAt: NOON - 1, stale: false },
          lending: "reserve",
          mode: "strict",
          globalUsedPercent: 0.8,
          used: 9,
          consumedTotal: 7.5,
          measured: 0,
          attributed: 7,
          provisional: 0.5,
          unallocated: 3.5,
          held: 0.5,
          outside: 1,
          free: 1,
          reserved: 1.5,
          spare: -0.5,
          windowFrom: NOON - 3,
          elapsed: 0.75,
          opensAt: NOON + 1,
          burnRate: { perSecond: 0.001, timeToExhaustionMs: 2_000_000 },
          perKey: [
            {
              apiKeyId: "constructor",
              consumed: 4,
              held: 0.25,
              fairShare: 5,
              deficit: -0.75,
              borrowing: false,
              remaining: 0.75,
              reserve: 0.25,
              available: 1,
            },
          ],
        },
        {
          unit: "tokens",
          window: "daily",
          limit: "unknown",
          limitFrom: "plan",
          anchoredBy: "rolling",
          lending: "threshold",
          mode: "unknown",
          globalUsedPercent: null,
          used: 12,
          consumedTotal: 12,
          measured: 12,
          attributed: 0,
          provisional: 0,
          unallocated: 0,
          held: 0,
          outside: 0,
          burnRate: { perSecond: 2, timeToExhaustionMs: null },
          perKey: [
            {
              apiKeyId: "bob",
              consumed: 12,
              held: 0,
              borrowing: false,
              available: "unlimited",
              retryAt: NOON + 5,
            },
          ],
        },
      ],
    });
  });
});

describe("A refusal by a limit per minute in the REST API", () => {
  const refusal = {
    node: { id: "organisation:acme", kind: "organisation" },
    dimension: "tpm",
    limit: 1000,
    used: 600,
    heldForChildren: 300,
    requested: 200,
  } as const;

  test("names the node, as it is called outside of its plan, and its numbers", () => {
    const refused = { status: "refused", allowed: false, reason: "rate-limit-tpm", refusal } as const;
    const shown = { ...refused, retryAt: NOON, dimensions: [] };
    expect(rateRefusalJson({ ...refused, retryAt: NOON })).toStrictEqual(shown);
    expect(
      rateRefusalJson({ ...refused, retryAt: undefined }, (id) => id.replace("organisation:", "")),
    ).toStrictEqual({
      ...refused,
      refusal: { ...refusal, node: { id: "acme", kind: "organisation" } },
      dimensions: [],
    });
  });

  test("has no numbers where no verdict held", () => {
    const contended = { status: "refused", allowed: false, reason: "contended", retryAt: NOON } as const;
    expect(rateRefusalJson(contended)).toStrictEqual({ ...contended, dimensions: [] });
  });
});

test("How fast a pool is used up is told in units, and when it would be over if it is to end", () => {
  const parsed = parseDimensions([
    { unit: "usd", window: "daily", limit: 10 },
    { unit: "tokens", window: "5h", limit: "unknown" },
  ]);
  if (!parsed.ok) throw new Error("the plan does not parse");
  const [usd, tokens] = parsed.value;
  const json = burnJson({
    poolId: "team",
    generatedAt: NOON,
    dimensions: [
      {
        dimension: usd!,
        used: 7_500_000_000,
        burnRate: { perSecond: 3_000_000, timeToExhaustionMs: 833_333.3 },
        samples: [{ at: NOON - 1, used: 4_000_000_000, perSecond: 1_000_000 }],
      },
      { dimension: tokens!, used: 5, burnRate: { perSecond: 0, timeToExhaustionMs: null }, samples: [] },
    ],
  });
  expect(json).toStrictEqual({
    poolId: "team",
    generatedAt: NOON,
    dimensions: [
      {
        unit: "usd",
        window: "daily",
        limit: 10,
        used: 7.5,
        perSecond: 0.003,
        timeToExhaustionMs: 833_333.3,
        exhaustedAt: NOON + 833_334,
        exhaustedUsed: 6.5,
        samples: [{ at: NOON - 1, used: 4, perSecond: 0.001 }],
      },
      {
        unit: "tokens",
        window: "5h",
        limit: "unknown",
        used: 5,
        perSecond: 0,
        timeToExhaustionMs: null,
        samples: [],
      },
    ],
  });
});

describe("A decision in the REST API", () => {
  const usd = (used: number) =>
    asked("usd", "daily", { limit: 10e9, used, total: used, share: 5e9, cap: 9e9, cost: 0.5e9 });

  test("is the decision itself, in units", () => {
    expect(sent(decisionJson(decided([usd(2e9)], NOON)))).toStrictEqual({
      status: "allowed",
      allowed: true,
      dimensions: [
        {
          name: "usd/daily",
          unit: "usd",
          window: "daily",
          limit: 10,
          lending: "threshold",
          mode: "generous",
          globalUsedPercent: 0.2,
          cost: 0.5,
          used: 2,
          held: 0,
          total: 2,
          outside: 0,
          share: 5,
          cap: 9,
          remaining: 3,
          available: 7,
          maxAllowed: 10,
          borrowing: false,
        },
      ],
    });
  });

  test("tells, under reserve, what is held for whom", () => {
    const usd = (amount: number) => amount * 1e9;
    const exact = decidedUnder("reserve", inUsd(sharing({ bob: 9, alice: 50 })));
    expect(decisionJson(exact).dimensions[0]).toMatchObject({
      lending: "reserve",
      reserve: {
        ...{ own: 21, bound: 22.5, forOthers: 15, holders: 1, spare: 5 },
        ...{ fromOwn: 1, decayed: 0, isExact: true },
      },
    });
    const stale = decisionJson(decidedUnder("reserve", inUsd(sharing({ bob: 9, looked: false }))));
    expect(Object.keys(stale.dimensions[0]!.reserve!)).not.toContain("holders");
    expect(stale.dimensions[0]!.reserve).toMatchObject({ forOthers: 70, isExact: false });

    function inUsd(question: DimensionQuestion): DimensionQuestion {
      const { reserve, ...asked } = question;
      const { used, total, cost, share } = asked as typeof asked & Record<"used" | "total" | "share", number>;
      return {
        ...asked,
        dimension: { name: "usd/hourly", unit: "usd", window: "hourly", limit: usd(100) },
        ...{ used: usd(used), total: usd(total), cost: usd(cost), share: usd(share) },
        reserve: {
          ...reserve!,
          ...{
            spent: usd(reserve!.spent as number),
            lent: usd(reserve!.lent as number),
            sharedOut: usd(100),
          },
          others: reserve!.others?.map(({ share, kept, used, spent }) => ({
            ...{ share: usd(share), kept, used: usd(used as number), spent: usd(spent as number) },
          })),
        },
      };
    }
  });

  test("tells what it would have been under the shadow rule", () => {
    const lending = { rule: "reserve", curve: { hold: 4 } } as const;
    const decision = decided([usd(2e9)], NOON) as Allowed;
    const refused = { lending, status: "refused", reason: "reserved", retryAt: NOON + 7 } as const;
    expect(sent(decisionJson({ ...decision, shadow: refused }))).toMatchObject({
      status: "allowed",
      shadow: refused,
    });
    const shadow = { lending: { rule: "reserve", curve: "pace" }, status: "allowed" } as const;
    expect(decisionJson({ ...decision, shadow }).shadow).toStrictEqual({
      lending: "reserve",
      status: "allowed",
    });
    expect(decisionJson(decision)).not.toHaveProperty("shadow");
  });

  test("says why it refuses, and when it opens if it does", () => {
    expect(decisionJson(decided([usd(9e9)], NOON))).toMatchObject({
      status: "refused",
      allowed: false,
      reason: "cap-absolute",
      decidedBy: "usd/daily",
      dimensions: [{ refusal: "cap-absolute", remaining: 0, borrowing: true }],
    });
  });

  test("has no shares and no percentage where the limit is not known", () => {
    const [dimension] = decisionJson(
      decided([asked("tokens", "5h", { limit: "unknown", used: 9 })], NOON),
    ).dimensions;
    expect(dimension).toMatchObject({
      limit: "unknown",
      mode: "unknown",
      globalUsedPercent: null,
      available: "unlimited",
    });
    expect(Object.keys(dimension!)).not.toContain("share");
    expect(Object.keys(dimension!)).not.toContain("maxAllowed");
  });

  test.each([[{ status: "unjudged", allowed: true }], [{ status: "unavailable", allowed: false }]] as const)(
    "%j says that and invents no numbers; what the store said stays here",
    (said) => {
      const cause = new Error("SQLITE_CANTOPEN /srv/data/storage.sqlite");
      const decision: Decision = { ...said, cause, dimensions: [] };
      expect(decisionJson(decision)).toStrictEqual({ ...said, dimensions: [] });
    },
  );

  test("of nobody says why nobody judged", () => {
    expect(
      decisionJson({ status: "ungoverned", allowed: true, why: "empty-plan", dimensions: [] }),
    ).toStrictEqual({
      status: "ungoverned",
      allowed: true,
      why: "empty-plan",
      dimensions: [],
    });
  });

  test("property: has no member that is undefined, and loses nothing on its way through JSON", () => {
    const amount = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.option(amount, { nil: undefined }),
        amount,
        (used, others, share, limit) => {
          const question = asked("requests", "hourly", {
            limit: limit === 0 ? "unknown" : limit,
            used,
            total: used + others,
            share: limit === 0 ? undefined : share,
          });
          const json = decisionJson(decided([question], NOON));
          expect(sent(json)).toStrictEqual(json);
        },
      ),
    );
  });
});

describe("One's own usage in the REST API", () => {
  test("has the key's own numbers, and of the others no more than how full the pool is", () => {
    const decision = decided(
      [asked("requests", "hourly", { limit: 100, used: 10, total: 73, share: 20, cost: 0 })],
      NOON,
    );
    const json = ownUsageJson({
      pool: pool({ allocations: [{ apiKeyId: "mallory", weight: 1 }] }),
      decision,
    });
    expect(sent(json)).toStrictEqual({
      connectionId: "seat",
      pool: "Team",
      judged: true,
      dimensions: [
        {
          unit: "requests",
          window: "hourly",
          lending: "threshold",
          mode: "strict",
          globalUsedPercent: 0.73,
          share: 20,
          used: 10,
          held: 0,
          remaining: 10,
          borrowing: false,
          passes: true,
        },
      ],
    });
    expect(JSON.stringify(json)).not.toMatch(/mallory|63|27|100/u);
  });

  const fullness: [everyone: number, limit: number, told: number][] = [
    [29, 100, 0.29],
    [57, 100, 0.57],
    [7_399_999, 10_000_000, 0.73],
    [99_999_999, 100_000_000, 0.99],
    [100, 100, 1],
    [103, 100, 1],
    [0, 100, 0],
  ];
  test.each(fullness)("tells that %d of %d is %d", (total, limit, told) => {
    const decision = decided(
      [asked("requests", "hourly", { limit, used: 0, total, share: 1, cost: 0 })],
      NOON,
    );
    expect(ownUsageJson({ pool: pool({}), decision }).dimensions[0]).toMatchObject({
      globalUsedPercent: told,
      passes: told < 1,
    });
  });

  test("has no fullness where the limit is unknown, and the reset of a window that has one", () => {
    const question = asked("tokens", "5h", { limit: "unknown", used: 5, cap: 4, cost: 0 });
    const decision = decided([{ ...question, resetsAt: NOON + 1 }], NOON);
    expect(sent(ownUsageJson({ pool: pool({}), decision }).dimensions)).toStrictEqual([
      {
        unit: "tokens",
        window: "5h",
        lending: "threshold",
        mode: "unknown",
        globalUsedPercent: null,
        cap: 4,
        used: 5,
        held: 0,
        borrowing: false,
        passes: false,
        resetsAt: NOON + 1,
      },
    ]);
  });

  const passing: [
    sentence: string,
    question: Parameters<typeof sharing>[0],
    reserve: number,
    passes: boolean,
  ][] = [
    ["what is held for the key", { bob: 20 }, 10, true],
    ["less than its share once that lies idle", { bob: 0 }, 22, true],
    ["nothing, where more is lent", { bob: 30 }, 0, true],
    ["nothing, where all else is held for others", { bob: 48 }, 0, false],
    ["nothing, where nobody has looked what others hold", { bob: 48, looked: false }, 0, true],
    ["nothing, where the pool is full", { bob: 100, looked: false }, 0, false],
  ];
  test.each(passing)("tells, under reserve, %s", (_sentence, question, reserve, passes) => {
    const decision = decidedUnder("reserve", sharing({ ...question, cost: 0 }));
    const [dimension] = ownUsageJson({ pool: pool({}), decision }).dimensions;
    expect(dimension).toMatchObject({ lending: "reserve", reserve, passes, resetsAt: NOON + 1_800_000 });
    expect(Object.keys(dimension!).join()).not.toMatch(/others|holders|spare/u);
  });

  test("has no numbers while the store is away", () => {
    const decision: Decision = {
      status: "unjudged",
      allowed: true,
      cause: new Error("gone"),
      dimensions: [],
    };
    expect(ownUsageJson({ pool: pool({}), decision })).toEqual({
      connectionId: "seat",
      pool: "Team",
      judged: false,
      dimensions: [],
    });
  });
});

describe("What a preview is asked about", () => {
  test("is read in units, and what is not asked about is left out", () => {
    const query = {
      estimatedRequests: "2",
      estimatedTokens: "1200",
      estimatedUsd: "0.25",
      estimatedPercent: "1.5",
      poolId: "x",
    };
    expect(parseEstimateQuery(query)).toEqual({
      ok: true,
      value: { requests: 2, tokens: 1200, usd: 0.25, percent: 1.5 },
    });
    expect(parseEstimateQuery({})).toEqual({ ok: true, value: {} });
  });

  test.each([
    "",
    " 1",
    "-1",
    "1e3",
    "0x10",
    "NaN",
    "Infinity",
    "true",
    "1,5",
    "9".repeat(30),
    ["1", "2"],
    { a: "1" },
  ])("is refused for %j", (text) => {
    for (const name of ["estimatedRequests", "estimatedTokens", "estimatedUsd", "estimatedPercent"]) {
      const parsed = parseEstimateQuery({ [name]: text });
      expect(parsed).toMatchObject({
        ok: false,
        faults: [{ path: name, message: expect.stringMatching(/\.$/u) }],
      });
    }
  });

  test("has all its faults listed at once", () => {
    const parsed = parseEstimateQuery({ estimatedUsd: "x", estimatedTokens: "y", estimatedRequests: "1" });
    expect(parsed.ok ? [] : parsed.faults.map(({ path }) => path).sort()).toEqual([
      "estimatedTokens",
      "estimatedUsd",
    ]);
  });
});
