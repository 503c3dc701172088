import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QuotaConfigError } from "../src/quotaConfigError.js";
import { softPenalty, type ScoredCandidate } from "../src/softPenalty.js";

describe("the soft penalty", () => {
  it.each<[string, ScoredCandidate, number]>([
    ["leaves other candidates alone", { score: 10, deprioritized: false, factor: 0.5 }, 10],
    ["takes 30 % by default", { score: 10, deprioritized: true }, 7],
    ["multiplies by the factor", { score: 10, deprioritized: true, factor: 0.25 }, 2.5],
    ["is none at factor 1", { score: 10, deprioritized: true, factor: 1 }, 10],
    ["leaves a score, 0, at factor 0", { score: 10, deprioritized: true, factor: 0 }, 0],
    ["leaves a score of 0 alone", { score: 0, deprioritized: true }, 0],
    ["lowers a negative score by the same part", { score: -10, deprioritized: true }, -13],
    [
      "lowers a negative score at factor 0 without excluding it",
      { score: -10, deprioritized: true, factor: 0 },
      -20,
    ],
    ["is none for a negative score at factor 1", { score: -10, deprioritized: true, factor: 1 }, -10],
  ])("%s", (_, candidate, expected) => {
    expect(softPenalty(candidate)).toBeCloseTo(expected, 12);
  });

  it.each([-0.1, 1.1, NaN, Infinity, "0.7", null])("refuses a factor of %s, needed or not", (factor) => {
    for (const deprioritized of [true, false])
      expect(() => softPenalty({ score: 1, deprioritized, factor: factor as number })).toThrow(
        QuotaConfigError,
      );
  });

  const score = fc.double({ min: -1e300, max: 1e300, noNaN: true });
  const factor = fc.double({ min: 0, max: 1, noNaN: true });

  it("never raises a score and always leaves one", () => {
    fc.assert(
      fc.property(score, factor, (score, factor) => {
        const lowered = softPenalty({ score, deprioritized: true, factor });
        expect(lowered).toBeLessThanOrEqual(score);
        expect(Number.isFinite(lowered)).toBe(true);
      }),
    );
  });

  it("keeps the order of the deprioritized among themselves", () => {
    fc.assert(
      fc.property(score, score, factor, (one, other, factor) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        const lowered = (score: number): number => softPenalty({ score, deprioritized: true, factor });
        expect(lowered(low)).toBeLessThanOrEqual(lowered(high));
      }),
    );
  });

  it("is score × factor, to the bit, where scores are not negative", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e300, noNaN: true }), factor, (score, factor) => {
        expect(softPenalty({ score, deprioritized: true, factor })).toBe(score * factor);
      }),
    );
  });
});
