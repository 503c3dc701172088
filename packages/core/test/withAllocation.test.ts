import { parsePoolTerms, withAllocation, withoutAllocation, type AllocationSpec } from "@quota/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const allocationsOf = (allocations: readonly AllocationSpec[]) => {
  const terms = parsePoolTerms({ connectionId: "seat", name: "Team", allocations });
  if (!terms.ok) throw new Error(JSON.stringify(terms.faults));
  return terms.value.allocations;
};
const team = (...weights: readonly number[]) =>
  allocationsOf(weights.map((weight, i) => ({ apiKeyId: `key-${String(i)}`, weight })));
const weights = (specs: readonly AllocationSpec[]) => specs.map(({ weight }) => weight);

describe("A key that joins", () => {
  const cases: [
    sentence: string,
    before: number[],
    weight: number,
    how: "proportional" | undefined,
    after: number[],
  ][] = [
    ["leaves the others as they are unless asked", [50, 30], 20, undefined, [50, 30, 20]],
    ["is made room for, in proportion", [50, 30, 20], 20, "proportional", [40, 24, 16, 20]],
    ["keeps the sum below 100 where it was below", [50, 10], 30, "proportional", [25, 5, 30]],
    ["takes all where it asks for more than there was", [20, 20], 60, "proportional", [0, 0, 60]],
    ["takes its own where the others have nothing", [0, 0], 40, "proportional", [0, 0, 40]],
    ["is the first", [], 40, "proportional", [40]],
    [
      "with a weight that is none moves nobody: parsing says what is wrong",
      [50, 50],
      -1,
      "proportional",
      [50, 50, -1],
    ],
    ["with more than everything moves nobody either", [50, 50], 101, "proportional", [50, 50, 101]],
  ];
  test.each(cases)("%s", (_sentence, before, weight, how, after) => {
    expect(weights(withAllocation(team(...before), { apiKeyId: "new", weight }, how))).toEqual(after);
  });
});

describe("A key that leaves", () => {
  const cases: [sentence: string, before: number[], how: "proportional" | undefined, after: number[]][] = [
    ["leaves its weight to nobody unless asked", [50, 30, 20], undefined, [30, 20]],
    ["leaves its weight to the others, in proportion", [50, 30, 20], "proportional", [60, 40]],
    ["leaves nothing behind where it was alone", [50], "proportional", []],
  ];
  test.each(cases)("%s", (_sentence, before, how, after) => {
    expect(weights(withoutAllocation(team(...before), "key-0", how))).toEqual(after);
  });
});

test("property: whoever joins or leaves, the caps and policies of the others stay, and what comes out parses", () => {
  const grains = fc.integer({ min: 0, max: 100_000_000 });
  fc.assert(
    fc.property(fc.array(grains, { minLength: 1, maxLength: 12 }), grains, (parts, weight) => {
      const sum = Math.max(
        1,
        parts.reduce((all, part) => all + part, 0),
      );
      const before = allocationsOf(
        parts.map((part, i) => ({
          apiKeyId: `key-${String(i)}`,
          weight: Math.floor((part / sum) * 1e8) / 1e6,
          policy: "soft",
          capValue: 5,
          capUnit: "usd",
        })),
      );
      const joined = allocationsOf(
        withAllocation(before, { apiKeyId: "new", weight: weight / 1e6 }, "proportional"),
      );
      const left = allocationsOf(withoutAllocation(joined, "new", "proportional"));
      for (const after of [joined, left])
        for (const [key, { policy, cap }] of before) expect(after.get(key)).toMatchObject({ policy, cap });
      expect([...left.keys()]).toEqual([...before.keys()]);
    }),
  );
});
