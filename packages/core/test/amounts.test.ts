import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { amountsInGrains, estimateInGrains, InvalidAmountError, type Amounts } from "@quota/core";

const nothing = {
  percent: undefined,
  requests: undefined,
  tokens: undefined,
  usd: undefined,
  pricedTokens: undefined,
};

describe("what a request really cost", () => {
  const rows: readonly (readonly [string, Amounts, object | string])[] = [
    ["units that are left out stay unknown", {}, nothing],
    ["zero is an amount, not a gap", { tokens: 0 }, { ...nothing, tokens: 0 }],
    [
      "each unit has its own grain",
      { requests: 1, tokens: 1200, usd: 0.0042, percent: 0.5 },
      { ...nothing, requests: 1, tokens: 1200, usd: 4_200_000, percent: 500_000 },
    ],
    ["priced tokens are rounded up", { pricedTokens: 0.001 }, { ...nothing, pricedTokens: 1 }],
    ["nothing priced is nothing", { pricedTokens: 0 }, { ...nothing, pricedTokens: 0 }],
    ["negative priced tokens are refused", { pricedTokens: -1 }, "actual.pricedTokens"],
    ["priced tokens that are no number are refused", { pricedTokens: NaN }, "actual.pricedTokens"],
    ["a fraction of a token is refused", { tokens: 0.5 }, "actual.tokens"],
    ["a negative is refused", { usd: -1 }, "actual.usd"],
    ["not a number is refused", { requests: NaN }, "actual.requests"],
  ];
  test.each(rows)("%s", (_sentence, amounts, expected) => {
    if (typeof expected === "string")
      expect(() => amountsInGrains(amounts, "actual")).toThrow(expect.objectContaining({ field: expected }));
    else expect(amountsInGrains(amounts, "actual")).toStrictEqual(expected);
  });
});

describe("an estimate", () => {
  it("may be a fraction and is rounded up", () => {
    expect(estimateInGrains({ tokens: 99.01, requests: 0.2, pricedTokens: 5.5 }, "estimate")).toMatchObject({
      tokens: 100,
      requests: 1,
      pricedTokens: 6,
    });
  });

  test.each([NaN, Infinity, -0.847665, -58_035, true, "0.1", null, 1e308])("of %s is refused", (value) => {
    for (const unit of ["requests", "tokens", "usd", "percent", "pricedTokens"] as const)
      expect(() => estimateInGrains({ [unit]: value as number }, "estimate")).toThrow(
        expect.objectContaining({ name: "InvalidAmountError", field: `estimate.${unit}` }),
      );
  });

  it("that is not refused never holds less than was said", () => {
    fc.assert(
      fc.property(fc.double({ min: -10, max: 1e15, noNaN: true }), (tokens) => {
        let held: number | undefined;
        try {
          held = estimateInGrains({ tokens }, "estimate").tokens;
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidAmountError);
          expect(tokens).toBeLessThan(0);
          return;
        }
        expect(tokens).toBeGreaterThanOrEqual(0);
        expect(held! - tokens).toBeGreaterThanOrEqual(0);
        expect(held! - tokens).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
