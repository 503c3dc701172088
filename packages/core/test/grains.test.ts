import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  decideFairShare,
  fromGrains,
  grains,
  InvalidAmountError,
  toGrains,
  UNITS,
  type Unit,
} from "@quota/core";

/** Values that have spoiled somebody's totals, none of them an amount. */
const POISON: readonly (readonly [string, unknown])[] = [
  ["not a number", NaN],
  ["infinity", Infinity],
  ["minus infinity", -Infinity],
  ["a small negative", -0.847665],
  ["a large negative", -58_035],
  ["a truth", true],
  ["a text that looks like a number", "0.1"],
  ["nothing", null],
  ["a missing value", undefined],
  ["a number past all counting", 1e308],
  ["a bigint", 1n],
  ["a list of one number", [1]],
  ["an object that pretends", { valueOf: () => 1 }],
  ["a symbol", Symbol("1")],
];

describe("what is not an amount is refused, in every unit, naming the field", () => {
  test.each(POISON)("%s", (_sentence, value) => {
    for (const unit of UNITS)
      expect(() => toGrains(unit, value, "estimate.x")).toThrow(
        expect.objectContaining({ name: "InvalidAmountError", code: "invalid-amount", field: "estimate.x" }),
      );
    expect(() => grains(value, "cost")).toThrow(InvalidAmountError);
  });

  it("does not repeat a megabyte of text in the message", () => {
    expect(() => grains("9".repeat(1_000_000), "cost")).toThrow(/^cost: "9{40}…" is not an amount; .{1,80}$/);
  });
});

describe("amounts at the edges of their unit", () => {
  const rows: readonly (readonly [string, Unit, number, number | "refused"])[] = [
    ["no request at all", "requests", 0, 0],
    ["minus zero is zero", "requests", -0, 0],
    ["minus zero dollars are zero", "usd", -0, 0],
    ["half a request cannot be counted", "requests", 0.5, "refused"],
    ["half a token cannot be counted", "tokens", 0.5, "refused"],
    ["the largest exact number of tokens", "tokens", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ["one token more", "tokens", Number.MAX_SAFE_INTEGER + 1, "refused"],
    ["a nano-dollar", "usd", 1e-9, 1],
    ["less than half a nano-dollar rounds to nothing", "usd", 4e-10, 0],
    ["seventy cents, exactly", "usd", 0.7, 700_000_000],
    ["a third of a percent, to the millionth", "percent", 100 / 3, 33_333_333],
    ["nine million dollars", "usd", 9_000_000, 9e15],
    ["ten million dollars are past 2^53 nano-dollars", "usd", 10_000_000, "refused"],
  ];
  test.each(rows)("%s", (_sentence, unit, amount, expected) => {
    if (expected === "refused") expect(() => toGrains(unit, amount, "amount")).toThrow(InvalidAmountError);
    else expect(Object.is(toGrains(unit, amount, "amount"), expected)).toBe(true);
  });
});

describe("sums that doubles miss reach a cap exactly", () => {
  const rows: readonly (readonly [readonly number[], number])[] = [
    [[0.1, 0.7], 0.8],
    [[0.3, 0.6], 0.9],
    [[0.7, 0.7, 0.7], 2.1],
  ];
  test.each(rows)("%j against a cap of %d USD", (spent, cap) => {
    expect(spent.reduce((sum, amount) => sum + amount, 0)).toBeLessThan(cap);
    const used = spent.reduce((sum, amount) => sum + toGrains("usd", amount, "spent"), 0);
    const dimension = { name: "usd/daily", unit: "usd", window: "daily", limit: "unknown" } as const;
    const next = { dimension, used, total: used, cost: 0, cap: toGrains("usd", cap, "cap") };
    expect(decideFairShare({ policy: "hard", dimensions: [next] }, 0)).toMatchObject({
      reason: "cap-absolute",
    });
  });
});

describe("for any amount", () => {
  it("grains survive the way to people and back", () => {
    fc.assert(
      fc.property(fc.constantFrom(...UNITS), fc.nat(2 ** 31), fc.nat(2 ** 18), (unit, low, high) => {
        const amount = high * 2 ** 31 + low;
        expect(toGrains(unit, fromGrains(unit, amount), "amount")).toBe(amount);
      }),
      { numRuns: 1000 },
    );
  });

  it("whatever passes the gate is a whole number from 0 to 2^53 − 1", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...UNITS),
        fc.oneof(fc.double(), fc.nat(), fc.anything()),
        (unit, value) => {
          let stored: number;
          try {
            stored = toGrains(unit, value, "amount");
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidAmountError);
            return;
          }
          expect(Number.isSafeInteger(stored) && stored >= 0 && !Object.is(stored, -0)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
