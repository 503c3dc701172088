import { parseModelPrices, priceTokens, usdText, type ModelPrices, type SpentTokens } from "@quota/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

function prices(input: unknown): ModelPrices {
  const parsed = parseModelPrices(input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.value;
}

const NONE: SpentTokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };

describe("nano-dollars as text", () => {
  test.each<[bigint | number, string]>([
    [0, "0"],
    [1, "0.000000001"],
    [1234, "0.000001234"],
    [1_000_000_000, "1"],
    [12_500_000_000n, "12.5"],
    [9_223_372_036_854_775_807n, "9223372036.854775807"],
    [-500_000_000n, "-0.5"],
    [-1, "-0.000000001"],
  ])("%s are %s dollars", (nanos, text) => expect(usdText(nanos)).toBe(text));

  test("property: no digit is lost, and none is made up", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), (nanos) => {
        const text = usdText(nanos);
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/);
        const [, sign, whole, fraction = ""] = /^(-?)(\d+)\.?(\d*)$/.exec(text)!;
        expect(BigInt(`${sign!}${whole!}${fraction.padEnd(9, "0")}`)).toBe(nanos);
      }),
    );
  });
});

describe("prices of a model", () => {
  test("are whole nano-dollars per million tokens", () => {
    expect(
      prices({ input: 0.075, cachedInput: 1e-9, cacheWrite: 3.75, output: 9_007_199, reasoning: 0 }),
    ).toEqual({
      input: 75_000_000,
      cachedInput: 1,
      cacheWrite: 3_750_000_000,
      output: 9_007_199_000_000_000,
      reasoning: 0,
    });
  });

  test("fall back to input and output, where nothing else is said", () => {
    expect(prices({ input: 3, output: 15, perImage: 1 })).toEqual({
      input: 3e9,
      cachedInput: 3e9,
      cacheWrite: 3e9,
      output: 15e9,
      reasoning: 15e9,
    });
  });

  test.each<[string, unknown, readonly string[]]>([
    ["no object", null, [""]],
    ["nothing", {}, ["input", "output"]],
    ["a text", { input: "3", output: 1 }, ["input"]],
    ["finer than a nano-dollar", { input: 1e-10, output: 0.000_000_000_1 }, ["input", "output"]],
    ["ten decimals", { input: 1.000_000_000_1, output: 1 }, ["input"]],
    ["a negative one", { input: 1, output: -1 }, ["output"]],
    [
      "NaN and infinities",
      { input: NaN, output: Infinity, reasoning: -Infinity },
      ["input", "output", "reasoning"],
    ],
    ["past what is exact", { input: 9_007_200, output: 1e300 }, ["input", "output"]],
    ["null", { input: 1, output: 1, cachedInput: null }, ["cachedInput"]],
  ])("are refused where they are %s", (_, input, paths) => {
    const parsed = parseModelPrices(input);
    expect(parsed.ok ? [] : parsed.faults.map(({ path }) => path)).toEqual(paths);
  });

  test("property: a price is what was written, to the nano-dollar", () => {
    const written = fc.tuple(fc.nat(4_000_000), fc.nat(999_999_999));
    fc.assert(
      fc.property(written, ([whole, nanos]) => {
        const text = `${String(whole)}.${String(nanos).padStart(9, "0")}`;
        expect(prices({ input: Number(text), output: 0 }).input).toBe(whole * 1e9 + nanos);
      }),
    );
  });
});

describe("what tokens cost", () => {
  const list = prices({ input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15, reasoning: 20 });

  test.each<[string, Partial<SpentTokens>, number]>([
    ["nothing costs nothing", {}, 0],
    ["input", { input: 1000 }, 3_000_000],
    ["cached input", { cachedInput: 1000 }, 300_000],
    ["cache writes", { cacheWrite: 1000 }, 3_750_000],
    ["output", { output: 1000 }, 15_000_000],
    ["reasoning instead of as much output", { output: 1000, reasoning: 400 }, 17_000_000],
    ["no more reasoning than there is output", { output: 10, reasoning: 400 }, 200_000],
    ["all of it", { input: 1, cachedInput: 1, cacheWrite: 1, output: 2, reasoning: 1 }, 42_050],
  ])("%s", (_, tokens, cost) => expect(priceTokens({ ...NONE, ...tokens }, list)).toBe(cost));

  test.each([
    [499_999, 0],
    [500_000, 1],
    [1_499_999, 1],
    [1_500_000, 2],
  ])("%d millionths of a nano-dollar are %d: half is rounded up", (count, cost) =>
    expect(priceTokens({ ...NONE, input: count }, prices({ input: 1e-9, output: 0 }))).toBe(cost),
  );

  test("is rounded once, not once for each kind of token", () => {
    const thirds = { ...NONE, input: 300_000, cachedInput: 300_000, cacheWrite: 300_000 };
    expect(priceTokens(thirds, prices({ input: 1e-9, output: 0 }))).toBe(1);
  });

  test("is no amount that a number cannot say", () => {
    const huge = { ...NONE, input: Number.MAX_SAFE_INTEGER, output: Number.MAX_SAFE_INTEGER };
    expect(priceTokens(huge, list)).toBe(Number.MAX_SAFE_INTEGER);
  });

  const count = fc.nat(100_000_000);
  const spent = fc.record<SpentTokens>({
    input: count,
    cachedInput: count,
    cacheWrite: count,
    output: count,
    reasoning: count,
  });

  test("property: is off by half a nano-dollar at most, from what exact arithmetic says", () => {
    const price = fc.nat(10_000_000_000).map((nanos) => nanos / 1e9);
    const listed = fc.record({
      input: price,
      cachedInput: price,
      cacheWrite: price,
      output: price,
      reasoning: price,
    });
    fc.assert(
      fc.property(spent, listed, (tokens, input) => {
        const { input: fresh, cachedInput, cacheWrite, output, reasoning } = prices(input);
        const thought = Math.min(tokens.reasoning, tokens.output);
        const exact = [
          [tokens.input, fresh],
          [tokens.cachedInput, cachedInput],
          [tokens.cacheWrite, cacheWrite],
          [tokens.output - thought, output],
          [thought, reasoning],
        ].reduce((sum, [n, each]) => sum + BigInt(n!) * BigInt(each!), 0n);
        const twiceOff = 2n * (BigInt(priceTokens(tokens, prices(input))) * 1_000_000n - exact);
        expect(twiceOff > -1_000_000n && twiceOff <= 1_000_000n).toBe(true);
      }),
    );
  });
});
