import { parsePoolTerms, rebalance } from "@quota/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const weightsOf = (...weights: readonly number[]) =>
  new Map(weights.map((weight, i) => [`key-${String(i)}`, weight]));

describe("Weights that are scaled to a new sum", () => {
  const cases: [sentence: string, before: number[], total: number, after: number[]][] = [
    ["keep their proportions when a colleague takes 20", [50, 30, 20], 80, [40, 24, 16]],
    ["keep their proportions when a colleague with 20 leaves", [40, 24, 16], 100, [50, 30, 20]],
    ["stay as they are when the sum stays", [50, 30.1234567, 20], 100.1234567, [50, 30.1234567, 20]],
    ["give the last grain to the largest remainder", [1, 1, 1], 100, [33.333334, 33.333333, 33.333333]],
    ["leave a 0 at 0", [0, 100], 60, [0, 60]],
    ["are all 0 where nothing is left for them", [60, 40], 0, [0, 0]],
    ["stay 0 where all of them are: there are no proportions to keep", [0, 0], 50, [0, 0]],
    ["can be none", [], 50, []],
  ];
  test.each(cases)("%s", (_sentence, before, total, after) => {
    expect([...rebalance(weightsOf(...before), total).values()]).toEqual(after);
  });

  test("belong to any text: __proto__ is a key like the others", () => {
    const after = rebalance(new Map([["__proto__", 50], ["constructor", 50]]), 50); // prettier-ignore
    expect([...after]).toEqual([["__proto__", 25], ["constructor", 25]]); // prettier-ignore
  });

  const millionths = fc.integer({ min: 0, max: 100_000_000 });
  const team = fc.array(millionths, { minLength: 1, maxLength: 40 });

  test("property: sum to the total to the millionth, in their old order, and no key is off by a grain or more", () => {
    fc.assert(
      fc.property(team, millionths, (grains, total) => {
        const before = weightsOf(...grains.map((grain) => grain / 1e6));
        const after = rebalance(before, total / 1e6);
        const sum = grains.reduce((a, b) => a + b, 0);
        expect([...after.keys()]).toEqual([...before.keys()]);
        const inGrains = [...after.values()].map((weight) => Math.round(weight * 1e6));
        expect(inGrains.reduce((a, b) => a + b, 0)).toBe(sum === 0 ? 0 : total);
        inGrains.forEach((grain, i) => {
          if (sum > 0) expect(Math.abs(grain - (grains[i]! * total) / sum)).toBeLessThan(1 + 1e-6);
        });
      }),
    );
  });

  test("property: make a pool that is accepted, whoever joins", () => {
    fc.assert(
      fc.property(team, millionths, (grains, weight) => {
        const others = rebalance(
          weightsOf(...grains.map((grain) => grain / 1e6)),
          (100_000_000 - weight) / 1e6,
        );
        const allocations = [...others].map(([apiKeyId, share]) => ({ apiKeyId, weight: share }));
        const pool = {
          connectionId: "seat",
          name: "Team",
          allocations: [...allocations, { apiKeyId: "colleague", weight: weight / 1e6 }],
        };
        expect(parsePoolTerms(pool).ok).toBe(true);
      }),
    );
  });
});
