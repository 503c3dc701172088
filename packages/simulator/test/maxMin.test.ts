import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxMin } from "@quota/simulator";

describe("what keys get of a limit in hindsight", () => {
  it.each([
    ["everybody, where there is enough", [10, 20, 30], [1, 1, 1], 100, [10, 20, 30]],
    ["equal parts, where all ask for more", [90, 90, 90], [1, 1, 1], 90, [30, 30, 30]],
    ["parts by weight, where all ask for more", [90, 90], [1, 2], 90, [30, 60]],
    ["what one leaves goes to the others, by weight", [10, 80, 80], [1, 1, 2], 100, [10, 30, 60]],
    ["what two leave in turn goes to the third", [10, 25, 200], [1, 1, 1], 90, [10, 25, 55]],
    ["a key without a weight gets what is left", [50, 90], [1, 0], 100, [50, 50]],
    ["… and nothing where nothing is", [150, 90], [1, 0], 100, [100, 0]],
    ["keys without weights are equal", [90, 90], [0, 0], 100, [50, 50]],
    ["nobody, where there is nothing", [5, 5], [1, 1], 0, [0, 0]],
    ["nobody who asks for nothing", [0, 5], [1, 1], 4, [0, 4]],
    ["no keys", [], [], 4, []],
  ])("%s", (_sentence, demands, weights, limit, allotted) => {
    expect([...maxMin({ demands, weights, limit })]).toEqual(allotted);
  });

  const keys = fc.array(fc.record({ demand: fc.nat(1000), weight: fc.integer({ min: 1, max: 20 }) }), {
    minLength: 1,
    maxLength: 8,
  });

  it("is all there is, or all that is asked for, and never more than either", () => {
    fc.assert(
      fc.property(keys, fc.nat(3000), (each, limit) => {
        const allotted = allot(each, limit);
        each.forEach(({ demand }, i) => expect(allotted[i]).toBeLessThanOrEqual(demand + 1e-9));
        expect(sum(allotted)).toBeCloseTo(Math.min(limit, sum(each.map(({ demand }) => demand))), 6);
      }),
    );
  });

  it("could give nobody more without taking from someone who has no more for its weight", () => {
    fc.assert(
      fc.property(keys, fc.nat(3000), (each, limit) => {
        const allotted = allot(each, limit);
        const ratio = (i: number): number => allotted[i]! / each[i]!.weight;
        each.forEach(({ demand }, i) => {
          if (allotted[i]! > demand - 1e-6) return;
          each.forEach((_, other) => expect(ratio(other)).toBeLessThanOrEqual(ratio(i) + 1e-6));
        });
      }),
    );
  });

  function allot(
    each: readonly { readonly demand: number; readonly weight: number }[],
    limit: number,
  ): readonly number[] {
    const [demands, weights] = [each.map(({ demand }) => demand), each.map(({ weight }) => weight)];
    return [...maxMin({ demands, weights, limit })];
  }

  function sum(amounts: readonly number[]): number {
    return amounts.reduce((total, amount) => total + amount, 0);
  }
});
