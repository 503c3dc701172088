import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { DEFAULT_TOKEN_PRICES, pricedTokens, type TokenPrices, type UsedTokens } from "@quota/core";

const nothing: UsedTokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0 };

describe("what an answer weighs", () => {
  const rows: readonly (readonly [string, Partial<UsedTokens>, Partial<TokenPrices>, number])[] = [
    ["fresh input is the measure", { input: 1_000 }, {}, 1_000],
    ["a cached token is a tenth", { cachedInput: 1_000 }, {}, 100],
    ["a token written to a cache is a quarter more", { cacheWrite: 1_000 }, {}, 1_250],
    ["a token of output is six", { output: 1_000 }, {}, 6_000],
    ["they add up", { input: 100, cachedInput: 1_000, cacheWrite: 80, output: 50 }, {}, 600],
    ["a model has a weight", { input: 1_000, output: 100 }, { weight: 0.2 }, 320],
    ["and prices of its own", { input: 1_000, output: 100 }, { output: 8, weight: 2 }, 3_600],
    ["it is rounded up", { input: 1, cachedInput: 1 }, {}, 2],
    ["what only doubles add is not rounded up", { input: 100 }, { weight: 1.1 }, 110],
    ["it is at least 1 where anything was used", { cachedInput: 1 }, { weight: 0.001 }, 1],
    ["even of a model that costs nothing", { input: 50_000 }, { weight: 0 }, 1],
    ["nothing weighs nothing", {}, {}, 0],
    [
      "it can be counted, whatever was used",
      { output: Number.MAX_SAFE_INTEGER },
      {},
      Number.MAX_SAFE_INTEGER,
    ],
  ];
  test.each(rows)("%s", (_sentence, used, prices, expected) => {
    expect(pricedTokens({ ...nothing, ...used }, prices)).toBe(expected);
  });

  it("takes what a meter measured as it is", () => {
    const measured = { input: 10, cachedInput: 10, cacheWrite: 0, output: 1, reasoning: 1, total: 21 };
    expect(pricedTokens(measured)).toBe(17);
  });

  it("is whole and grows with every kind of token, for any use and prices", () => {
    const tokens = fc.nat(1_000_000);
    const price = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({ input: tokens, cachedInput: tokens, cacheWrite: tokens, output: tokens }),
        fc.record({ cachedInput: price, cacheWrite: price, output: price, weight: price }),
        fc.constantFrom("input", "cachedInput", "cacheWrite", "output"),
        (used, prices, kind) => {
          const weighed = pricedTokens(used, prices);
          expect(Number.isSafeInteger(weighed)).toBe(true);
          expect(pricedTokens({ ...used, [kind]: used[kind] + 1_000 }, prices)).toBeGreaterThanOrEqual(
            weighed,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("cannot be changed for everybody", () => {
    expect(Object.isFrozen(DEFAULT_TOKEN_PRICES)).toBe(true);
  });
});
