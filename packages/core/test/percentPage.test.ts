import {
  attributeRise,
  DEFAULT_TOKEN_PRICES,
  fromGrains,
  learnRate,
  pricedTokens,
  provisionalPercent,
  toGrains,
  type PercentRate,
} from "@quota/core";
import { describe, expect, it, test } from "vitest";
import { markdownTable, page } from "./markdownTable.js";

const text = page("docs/percent.md");
const KEYS = ["alice", "bob", "carol"];

function number(row: Readonly<Record<string, string>>, column: string): number {
  expect(row[column], column).toMatch(/^\d+(\.\d+)?$/);
  return Number(row[column]);
}

describe("docs/percent.md", () => {
  it("knows what tokens weigh", () => {
    const weights = Object.fromEntries(
      markdownTable(text, "token").map((row) => [row["token"]!, number(row, "weighs")]),
    );
    const { cachedInput, cacheWrite, output, weight } = DEFAULT_TOKEN_PRICES;
    expect(weights).toEqual({
      "fresh input": weight,
      "cached input": cachedInput,
      "cache write": cacheWrite,
      output,
    });
  });

  const answers = markdownTable(text, "answer");
  test.each(answers)("answer $answer weighs $weighs", (row) => {
    const used = {
      input: number(row, "fresh input"),
      cachedInput: number(row, "cached input"),
      cacheWrite: number(row, "cache write"),
      output: number(row, "output"),
    };
    expect(pricedTokens(used)).toBe(number(row, "weighs"));
  });

  it("asks in its example for what its answers weigh", () => {
    const steps = markdownTable(text, "step").slice(0, 3);
    for (const key of KEYS) {
      const asked = steps.reduce((sum, row) => sum + number(row, `${key} asks`), 0);
      const weighed = answers.filter((row) => row["of"] === key).map((row) => number(row, "weighs"));
      expect(asked).toBe(weighed.reduce((sum, weighs) => sum + weighs, 0));
    }
  });

  it("spreads the rises of its example as the code does", () => {
    let seen = toGrains("percent", Number(/stands at (\d+) %/.exec(text)?.[1]), "reading");
    let outside = seen;
    let rate: PercentRate | undefined;
    let demands = KEYS.map(() => 0);
    let ours = 0;
    for (const row of markdownTable(text, "step")) {
      demands = demands.map((demand, i) => demand + number(row, `${KEYS[i]!} asks`));
      const demand = demands.reduce((sum, each) => sum + each, 0);
      const explained = provisionalPercent(rate, demand);
      expect(fromGrains("percent", explained)).toBe(number(row, "provisional"));
      const reading = toGrains("percent", number(row, "reading"), "reading");
      const said = [...KEYS.map((key) => number(row, `${key} gets`)), number(row, "outside")];
      const rise = reading - seen;
      if (rise === 0) {
        expect(said).toEqual([0, 0, 0, 0]);
        continue;
      }
      const spread = attributeRise({ rise, demands, explained: rate && explained });
      expect([...spread.parts, spread.outside].map((part) => fromGrains("percent", part))).toEqual(said);
      rate = learnRate(rate, { rise: rise - spread.outside, demand });
      seen = reading;
      outside += spread.outside;
      ours += rise - spread.outside;
      demands = KEYS.map(() => 0);
    }
    const [, keys, whole, elsewhere] = /have (\d+) of the (\d+), and (\d+) are outside/.exec(text) ?? [];
    expect([ours, seen, outside].map((amount) => String(fromGrains("percent", amount)))).toEqual([
      keys,
      whole,
      elsewhere,
    ]);
  });

  it("names the bounds that the code keeps", () => {
    const [, times] = /more than (\d+) times what our demand explains/.exec(text) ?? [];
    const point = toGrains("percent", 1, "point");
    const most = { rise: Number(times) * 5 * point + point, demands: [1], explained: 5 * point };
    expect(attributeRise(most).outside).toBe(0);
    expect(attributeRise({ ...most, rise: most.rise + 1 }).outside).toBeGreaterThan(0);

    const rate = { percent: 10 * point, demand: 1_000_000 };
    const [, kept] = /keeps (0\.\d) of itself/.exec(text) ?? [];
    expect(learnRate(rate, { rise: point, demand: 100_000 })?.percent).toBe(
      Number(kept) * rate.percent + point,
    );
    const [, factor] = /more than (\d+) times larger/.exec(text) ?? [];
    const burst = learnRate(rate, { rise: 1000 * point, demand: 100_000_000 })!;
    expect(burst.percent / burst.demand / (rate.percent / rate.demand)).toBeLessThanOrEqual(Number(factor));
    const largest = learnRate({ percent: point, demand: 1 }, { rise: 10_000 * point, demand: 1000 })!;
    expect(largest.percent / largest.demand / point).toBeCloseTo(Number(factor), 1);
  });
});
