import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { attributeRise, type AttributedRise, type RiseQuestion } from "@quota/core";

const POINT = 1_000_000;
const MOST = Number.MAX_SAFE_INTEGER;

describe("a rise", () => {
  const rows: readonly (readonly [string, RiseQuestion, AttributedRise])[] = [
    [
      "is spread by demand, and what is left goes to the largest remainder",
      { rise: POINT, demands: [40_000, 20_000, 0] },
      { parts: [666_667, 333_333, 0], outside: 0 },
    ],
    [
      "goes to whoever comes first where remainders are equal",
      { rise: 100, demands: [1, 1, 1] },
      { parts: [34, 33, 33], outside: 0 },
    ],
    [
      "of one grain goes to the largest demand",
      { rise: 1, demands: [3, 4, 3] },
      { parts: [0, 1, 0], outside: 0 },
    ],
    [
      "is the only key's, whatever it has used",
      { rise: POINT, demands: [0, 1] },
      { parts: [0, POINT], outside: 0 },
    ],
    [
      "without any demand is the owner's",
      { rise: POINT, demands: [0, 0] },
      { parts: [0, 0], outside: POINT },
    ],
    ["without any key is the owner's", { rise: POINT, demands: [] }, { parts: [], outside: POINT }],
    [
      "takes a counter below 0 as no demand",
      { rise: POINT, demands: [-50, 10, -0] },
      { parts: [0, POINT, 0], outside: 0 },
    ],
    ["of nothing has no parts", { rise: 0, demands: [1, 2] }, { parts: [0, 0], outside: 0 }],
    [
      "is exact where doubles are not",
      { rise: 9_999_999_999, demands: [MOST, MOST, 1] },
      { parts: [5_000_000_000, 4_999_999_999, 0], outside: 0 },
    ],
    [
      "is exact where the sum of demands is not a whole double",
      { rise: 3, demands: [MOST, MOST - 1, MOST] },
      { parts: [1, 1, 1], outside: 0 },
    ],
  ];
  test.each(rows)("%s", (_sentence, question, expected) => {
    expect(attributeRise(question)).toEqual(expected);
  });
});

describe("a rise beyond what the demand explains", () => {
  const rows: readonly (readonly [string, number, number, AttributedRise])[] = [
    [
      "is ours up to three times as much and a point",
      7 * POINT,
      2 * POINT,
      { parts: [7 * POINT], outside: 0 },
    ],
    [
      "is the owner's from there on: all but what is explained",
      7 * POINT + 1,
      2 * POINT,
      { parts: [2 * POINT], outside: 5 * POINT + 1 },
    ],
    ["is ours where it is one rounded point after little demand", POINT, 1, { parts: [POINT], outside: 0 }],
    [
      "is the owner's where next to nothing is explained",
      2 * POINT,
      1,
      { parts: [1], outside: 2 * POINT - 1 },
    ],
    ["counts what is explained in whole grains", 2 * POINT, 0.5, { parts: [1], outside: 2 * POINT - 1 }],
    [
      "is all the owner's where our demand is worth nothing",
      2 * POINT,
      0,
      { parts: [0], outside: 2 * POINT },
    ],
    ["below what is explained is what it is", POINT, 50 * POINT, { parts: [POINT], outside: 0 }],
  ];
  test.each(rows)("%s", (_sentence, rise, explained, expected) => {
    expect(attributeRise({ rise, demands: [5], explained })).toEqual(expected);
  });
});

const amount = fc.oneof(
  fc.nat(3),
  fc.nat(1_000_000),
  fc.integer({ min: 0, max: MOST }),
  fc.constantFrom(MOST, MOST - 1, 2 ** 52),
);
const question: fc.Arbitrary<RiseQuestion> = fc.record({
  rise: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 10_000_000_000 })),
  demands: fc.array(fc.oneof({ weight: 6, arbitrary: amount }, fc.integer({ min: -5, max: 0 })), {
    maxLength: 12,
  }),
  explained: fc.option(fc.nat(200 * POINT), { nil: undefined }),
});

describe("for any rise and demands", () => {
  it("the parts and what is outside are the rise; no part is below 0, nor one without a demand above it", () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { parts, outside } = attributeRise(asked);
        expect(parts.reduce((sum, part) => sum + part, outside)).toBe(asked.rise);
        expect(parts).toHaveLength(asked.demands.length);
        expect(outside).toBeGreaterThanOrEqual(0);
        for (const [i, part] of parts.entries()) {
          expect(part).toBeGreaterThanOrEqual(0);
          if (asked.demands[i]! <= 0) expect(part).toBe(0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("a part is within one grain of its exact proportion", () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { parts, outside } = attributeRise(asked);
        const wanted = asked.demands.map((demand) => BigInt(Math.max(0, demand)));
        const sum = wanted.reduce((total, demand) => total + demand, 0n);
        const ours = BigInt(asked.rise - outside);
        for (const [i, part] of parts.entries()) {
          const off = BigInt(part) * sum - ours * wanted[i]!;
          expect(off < sum || sum === 0n).toBe(true);
          expect(off > -sum || sum === 0n).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("who has used more never gets a smaller part", () => {
    fc.assert(
      fc.property(question, (asked) => {
        const { parts } = attributeRise(asked);
        const byDemand = [...parts.keys()].sort((a, b) => asked.demands[a]! - asked.demands[b]!);
        for (let i = 1; i < byDemand.length; i += 1) {
          const [less, more] = [byDemand[i - 1]!, byDemand[i]!];
          if (asked.demands[more]! > asked.demands[less]!)
            expect(parts[more]).toBeGreaterThanOrEqual(parts[less]!);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("to have used more than one did never makes one's part smaller", () => {
    fc.assert(
      fc.property(question, fc.nat(11), amount, (asked, key, more) => {
        fc.pre(key < asked.demands.length);
        const demands = asked.demands.map((demand, i) =>
          i === key ? Math.min(MOST, demand + more) : demand,
        );
        expect(attributeRise({ ...asked, demands }).parts[key]).toBeGreaterThanOrEqual(
          attributeRise(asked).parts[key]!,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("the order of keys decides nothing but ties", () => {
    fc.assert(
      fc.property(question, fc.integer({ min: 0, max: 11 }), (asked, turn) => {
        const demands = [...new Set(asked.demands.map((demand) => Math.max(0, demand)))];
        const turned = [...demands.slice(turn), ...demands.slice(0, turn)];
        const before = attributeRise({ ...asked, demands });
        const after = attributeRise({ ...asked, demands: turned });
        expect(after.outside).toBe(before.outside);
        const sum = demands.reduce((total, demand) => total + BigInt(demand), 0n);
        const ours = BigInt(asked.rise - before.outside);
        const tied =
          sum > 0n && new Set(demands.map((demand) => (ours * BigInt(demand)) % sum)).size < demands.length;
        for (const [i, demand] of demands.entries()) {
          const moved = Math.abs(after.parts[turned.indexOf(demand)]! - before.parts[i]!);
          expect(moved).toBeLessThanOrEqual(tied ? 1 : 0);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
