import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  decideFairShare,
  governPool,
  parseDimensions,
  parsePoolTerms,
  standingOf,
  type AllocationSpec,
  type Dimension,
  type DimensionSpec,
  type GovernedPool,
  type PoolSpec,
  type PoolTerms,
} from "@quota/core";

const hourly = (limit: number): DimensionSpec => ({ unit: "requests", window: "hourly", limit });

function govern(
  allocations: readonly AllocationSpec[],
  dimensions: readonly DimensionSpec[],
  pool: Partial<PoolSpec> = {},
): GovernedPool<PoolTerms> {
  const terms = parsePoolTerms({ connectionId: "c", name: "n", ...pool, allocations });
  const parsed = parseDimensions(dimensions);
  if (!terms.ok || !parsed.ok) throw new Error(JSON.stringify({ terms, parsed }));
  const plan = { connectionId: "c", provider: "kimi", source: "manual", dimensions: parsed.value } as const;
  return governPool({ pool: terms.value, plan });
}

function sharesOf(weights: readonly number[], limit: number): readonly (number | undefined)[] {
  const governed = govern(
    weights.map((weight, i) => ({ apiKeyId: String(i), weight })),
    [hourly(limit)],
  );
  return weights.map((_weight, i) => governed.standings.get(String(i))?.shares[0]);
}

describe("shares of a limit, in whole requests", () => {
  const rows: readonly (readonly [string, readonly number[], number, readonly number[]])[] = [
    ["are the weight's part", [50, 30, 20], 100, [50, 30, 20]],
    ["are exact where doubles are not: 1500 × 4.6 %", [4.6], 1500, [69]],
    ["are rounded down", [33.33, 33.33, 33.33], 100, [33, 33, 33]],
    ["leave what nobody has to nobody", [40], 100, [40]],
    ["are equal when every weight is 0", [0, 0], 100, [50, 50]],
    ["… rounded down", [0, 0, 0], 100, [33, 33, 33]],
    ["are none for a 0 beside others: that key may only borrow", [0, 100], 100, [0, 100]],
    ["of a tiny limit may be none for everybody", [50, 50], 1, [0, 0]],
    [
      "of the largest limit are exact",
      [50, 50],
      Number.MAX_SAFE_INTEGER,
      [4503599627370495, 4503599627370495],
    ],
    [
      "of 63 equal keys, whose weights are no whole millionths, are equal",
      new Array<number>(63).fill(100 / 63),
      6300,
      new Array<number>(63).fill(100),
    ],
  ];
  test.each(rows)("%s", (_sentence, weights, limit, expected) => {
    expect(sharesOf(weights, limit)).toEqual(expected);
  });

  it("1500 × 4.6 / 100 really is less than 69 in doubles", () => {
    expect((1500 * 4.6) / 100).toBeLessThan(69);
  });

  it("are none where the limit is unknown", () => {
    const governed = govern(
      [{ apiKeyId: "alice", weight: 50 }],
      [{ unit: "tokens", window: "5h", limit: "unknown" }],
    );
    expect(governed.standings.get("alice")?.shares).toEqual([undefined]);
  });

  it("an equal split is one for the decision too: 30 of 50 used is not borrowing", () => {
    const governed = govern(
      [
        { apiKeyId: "a", weight: 0 },
        { apiKeyId: "b", weight: 0 },
      ],
      [hourly(100)],
    );
    const [dimension] = governed.dimensions;
    const asked = {
      dimension: dimension!,
      used: 30,
      total: 30,
      cost: 1,
      share: governed.standings.get("a")!.shares[0],
    };
    expect(decideFairShare({ policy: "hard", dimensions: [asked] }, 0).dimensions[0]).toMatchObject({
      share: 50,
      borrowing: false,
    });
  });

  it("are found for 10 000 keys, and add up", () => {
    const shares = sharesOf(new Array<number>(10_000).fill(0.01), 1_000_000);
    expect(new Set(shares)).toEqual(new Set([100]));
  });
});

describe("for any weights", () => {
  const limit = fc.oneof(
    fc.integer({ min: 1, max: 10_000 }),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  );
  /** Weights in millionths of a percent that sum to 100 at most. */
  const millionths = fc
    .array(fc.nat(100_000_000), { minLength: 1, maxLength: 20 })
    .map((parts) => parts.map((part) => Math.floor(part / parts.length)));

  it("a share is the exact part, rounded down", () => {
    fc.assert(
      fc.property(millionths, limit, (weights, whole) => {
        fc.pre(weights.some((weight) => weight > 0));
        expect(
          sharesOf(
            weights.map((weight) => weight / 1_000_000),
            whole,
          ),
        ).toEqual(weights.map((weight) => Number((BigInt(whole) * BigInt(weight)) / 100_000_000n)));
      }),
      { numRuns: 500 },
    );
  });

  it("the shares never sum to more than the limit", () => {
    const weights = fc.array(fc.nat(1000), { minLength: 1, maxLength: 100 }).map((parts) => {
      const sum = parts.reduce((total, part) => total + part, 0);
      return sum === 0 ? parts : parts.map((part) => (part / sum) * 100);
    });
    fc.assert(
      fc.property(weights, limit, (all, whole) => {
        const sum = sharesOf(all, whole).reduce<bigint>((total, share) => total + BigInt(share!), 0n);
        expect(sum <= BigInt(whole)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("caps", () => {
  const plan: readonly DimensionSpec[] = [
    { unit: "tokens", window: "weekly", limit: 10_000 },
    { unit: "tokens", window: "5h", limit: 1000 },
    { unit: "requests", window: "hourly", limit: 100 },
  ];
  const capped = (cap: Partial<AllocationSpec>): GovernedPool<PoolTerms> =>
    govern(
      [
        { apiKeyId: "alice", weight: 50, ...cap },
        { apiKeyId: "bob", weight: 50 },
      ],
      plan,
    );
  const byName = (governed: GovernedPool<PoolTerms>, key: string) =>
    Object.fromEntries(
      governed.dimensions.map(({ name }, i) => [name, governed.standings.get(key)?.caps[i]]),
    );

  it("without a window hold in every window of their unit", () => {
    expect(byName(capped({ capValue: 7, capUnit: "tokens" }), "alice")).toEqual({
      "requests/hourly": undefined,
      "tokens/5h": 7,
      "tokens/weekly": 7,
    });
  });

  it("with a window hold in that one", () => {
    expect(byName(capped({ capValue: 7, capUnit: "tokens", capWindow: "5h" }), "alice")).toEqual({
      "requests/hourly": undefined,
      "tokens/5h": 7,
      "tokens/weekly": undefined,
    });
  });

  it("in a unit or window that the plan lacks make a dimension that is counted and not shared", () => {
    const governed = capped({ capValue: 2, capUnit: "usd", capWindow: "daily" });
    expect(governed.dimensions.map(({ name }) => name)).toEqual([
      "requests/hourly",
      "tokens/5h",
      "tokens/weekly",
      "usd/daily",
    ]);
    expect(governed.dimensions.at(-1)).toMatchObject({ limit: "unknown" });
    expect(byName(governed, "alice")["usd/daily"]).toBe(2_000_000_000);
    expect(byName(governed, "bob")["usd/daily"]).toBeUndefined();
    expect(governed.standings.get("bob")?.shares.at(-1)).toBeUndefined();
    expect(governed.faults).toEqual([]);
  });

  it("in a unit that the plan lacks need a window, and say so", () => {
    expect(capped({ capValue: 2, capUnit: "usd" }).faults).toMatchObject([
      { path: "allocations[0].capWindow", code: "cap-needs-window" },
    ]);
  });

  it("make no dimension where the plan is empty: such a pool is not governed", () => {
    const governed = govern(
      [{ apiKeyId: "alice", weight: 50, capValue: 2, capUnit: "usd", capWindow: "daily" }],
      [],
    );
    expect([governed.dimensions, governed.faults]).toEqual([[], []]);
  });
});

describe("who stands how", () => {
  const dimensions = [hourly(100)];
  const rows: readonly (readonly [string, Partial<PoolSpec>, object | string])[] = [
    [
      "a key without an allocation borrows, with no share",
      {},
      { policy: "hard", shares: [0], caps: [undefined], kept: [0], most: [undefined] },
    ],
    [
      "… or passes under the ceiling",
      { unallocated: "allow" },
      { policy: "burst", shares: [0], caps: [undefined], kept: [0], most: [undefined] },
    ],
    ["… or is denied", { unallocated: "deny" }, "not-allocated"],
  ];
  test.each(rows)("%s", (_sentence, pool, expected) => {
    expect(standingOf(govern([], dimensions, pool), "nobody")).toEqual(expected);
  });

  it("a name on Object.prototype is a key like any other, or no key", () => {
    const governed = govern([{ apiKeyId: "__proto__", weight: 40 }], dimensions, { unallocated: "deny" });
    expect(standingOf(governed, "__proto__")).toMatchObject({ shares: [40] });
    expect(standingOf(governed, "constructor")).toBe("not-allocated");
  });

  it("dimensions come in one order, whatever order the plan lists them in", () => {
    const names = (list: readonly Dimension[]) => list.map(({ name }) => name);
    const specs: readonly DimensionSpec[] = [
      { unit: "usd", window: "daily", limit: 5 },
      { unit: "percent", window: "weekly", limit: 100 },
      { unit: "percent", window: "5h", limit: 100 },
    ];
    expect(names(govern([], specs).dimensions)).toEqual(["percent/5h", "percent/weekly", "usd/daily"]);
    expect(names(govern([], [...specs].reverse()).dimensions)).toEqual([
      "percent/5h",
      "percent/weekly",
      "usd/daily",
    ]);
  });
});
