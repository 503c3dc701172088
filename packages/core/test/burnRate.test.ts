import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { burnCurve } from "../src/burnCurve.js";
import { computeBurnRate, type BurnRateQuestion, type BurnSample } from "../src/burnRate.js";

/** `[second, used]` pairs. */
function samples(...pairs: [seconds: number, used: number][]): BurnSample[] {
  return pairs.map(([seconds, used]) => ({ at: 1_700_000_000_000 + seconds * 1000, used }));
}

describe("the burn rate", () => {
  it.each<[string, BurnRateQuestion, perSecond: number, timeToExhaustionMs: number | null]>([
    ["is 0 without samples", { samples: [], limit: 100 }, 0, null],
    ["is 0 with one sample", { samples: samples([0, 50]), limit: 100 }, 0, null],
    ["is the slope between two", { samples: samples([0, 0], [10, 20]), limit: 100 }, 2, 40_000],
    [
      "weighs the newest slope 0.3",
      { samples: samples([0, 0], [10, 100], [20, 300]), limit: 1600 },
      13,
      100_000,
    ],
    [
      "weighs slopes, not lengths of time",
      { samples: samples([0, 0], [1, 10], [101, 1010]), limit: 2010 },
      10,
      100_000,
    ],
    [
      "skips a step without time",
      { samples: samples([0, 0], [10, 20], [10, 90], [20, 110]), limit: 200 },
      2,
      45_000,
    ],
    [
      "skips a step back in time",
      { samples: samples([0, 0], [10, 20], [5, 30], [15, 50]), limit: 100 },
      2,
      25_000,
    ],
    ["is 0 when every step is skipped", { samples: samples([0, 0], [0, 20]), limit: 100 }, 0, null],
    [
      "skips a step that is no number",
      { samples: samples([0, 0], [10, 20], [20, NaN], [30, 60], [40, 80]), limit: 100 },
      2,
      10_000,
    ],
    ["is 0 while nothing is used", { samples: samples([0, 50], [10, 50]), limit: 100 }, 0, null],
    [
      "is 0 when a window lets go of more than comes in",
      { samples: samples([0, 50], [10, 20]), limit: 100 },
      0,
      null,
    ],
    [
      "counts a falling slope before it is floored",
      { samples: samples([0, 0], [10, 100], [20, 0]), limit: 100 },
      4,
      25_000,
    ],
    [
      "has no exhaustion without a known limit",
      { samples: samples([0, 0], [10, 20]), limit: "unknown" },
      2,
      null,
    ],
    ["is exhausted now at the limit", { samples: samples([0, 0], [10, 100]), limit: 100 }, 10, 0],
    ["is exhausted now past the limit", { samples: samples([0, 0], [10, 130]), limit: 100 }, 13, 0],
    [
      "goes by the use of now when it is given",
      { samples: samples([0, 0], [10, 20]), limit: 100, used: 90 },
      2,
      5_000,
    ],
    [
      "never says a time that is no number",
      { samples: samples([0, 0], [1e9, 1e-300]), limit: 1e15 },
      1e-309,
      null,
    ],
  ])("%s", (_, question, perSecond, timeToExhaustionMs) => {
    const rate = computeBurnRate(question);
    expect(rate.perSecond).toBeCloseTo(perSecond, 9);
    if (timeToExhaustionMs === null) expect(rate.timeToExhaustionMs).toBeNull();
    else expect(rate.timeToExhaustionMs).toBeCloseTo(timeToExhaustionMs, 6);
  });

  it("of steady use is that use, whatever the distances between samples", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1 }),
        (pace, gaps) => {
          let second = 0;
          const steady = samples(
            [0, 0],
            ...gaps.map((gap): [number, number] => [(second += gap), second * pace]),
          );
          expect(computeBurnRate({ samples: steady, limit: "unknown" }).perSecond).toBeCloseTo(pace, 6);
        },
      ),
    );
  });

  it("lies between 0 and the steepest slope, and the time is what remains divided by it", () => {
    const pair = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 10_000 }));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), fc.integer({ min: 1, max: 20_000 }), (pairs, limit) => {
        const given = samples(...pairs);
        const slopes = pairs.flatMap(([second, used], i) => {
          const [before, usedBefore] = pairs[i - 1] ?? [second, used];
          return second > before ? [(used - usedBefore) / (second - before)] : [];
        });
        const { perSecond, timeToExhaustionMs } = computeBurnRate({ samples: given, limit });
        expect(perSecond).toBeGreaterThanOrEqual(0);
        expect(perSecond).toBeLessThanOrEqual(Math.max(0, ...slopes) * (1 + 1e-12));
        if (perSecond === 0) expect(timeToExhaustionMs).toBeNull();
        else
          expect((timeToExhaustionMs! / 1000) * perSecond).toBeCloseTo(
            Math.max(0, limit - given.at(-1)!.used),
            6,
          );
      }),
    );
  });
});

describe("the curve of the burn rate", () => {
  it.each<[string, BurnSample[], perSecond: number[]]>([
    ["is empty without samples", [], []],
    ["is 0 at the first sample", samples([0, 50]), [0]],
    ["weighs the newest slope 0.3", samples([0, 0], [10, 100], [20, 300]), [0, 10, 13]],
    ["stays where a step has no time", samples([0, 0], [10, 20], [10, 90], [20, 110]), [0, 2, 2, 2]],
    ["stays where a step goes back in time", samples([0, 0], [10, 20], [5, 30]), [0, 2, 2]],
    [
      "is floored where it is shown, and not where it is reckoned",
      samples([0, 9], [1, 0], [2, 30]),
      [0, 0, 2.7],
    ],
  ])("%s", (_, given, perSecond) => {
    const curve = burnCurve(given);
    expect(curve.map(({ at, used }) => ({ at, used }))).toEqual(given);
    curve.forEach((point, i) => expect(point.perSecond).toBeCloseTo(perSecond[i]!, 9));
  });

  it("at every sample is the rate that was told then", () => {
    const pair = fc.tuple(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 10_000 }));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 20 }), (pairs) => {
        const given = samples(...pairs);
        const told = given.map(
          (_, i) => computeBurnRate({ samples: given.slice(0, i + 1), limit: "unknown" }).perSecond,
        );
        expect(burnCurve(given).map(({ perSecond }) => perSecond)).toEqual(told);
      }),
    );
  });
});
