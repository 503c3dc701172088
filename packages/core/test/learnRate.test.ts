import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { learnRate, provisionalPercent, type PercentRate } from "@quota/core";

const POINT = 1_000_000;
const MOST = Number.MAX_SAFE_INTEGER;

describe("a rate", () => {
  const known: PercentRate = { percent: 10 * POINT, demand: 1_000_000 };
  const rows: readonly (readonly [
    string,
    PercentRate | undefined,
    number,
    number,
    PercentRate | undefined,
  ])[] = [
    ["begins with the first rise", undefined, POINT, 50_000, { percent: POINT, demand: 50_000 }],
    ["is not learned from a rise without demand", undefined, POINT, 0, undefined],
    ["is not learned from demand without a rise", known, 0, 50_000, known],
    ["is not learned from a counter below 0", known, POINT, -1, known],
    ["forgets a tenth at every rise", known, POINT, 100_000, { percent: 10 * POINT, demand: 1_000_000 }],
    ["follows what has become dearer", known, 2 * POINT, 100_000, { percent: 11 * POINT, demand: 1_000_000 }],
    [
      "takes the owner's burst for four times the price at most",
      known,
      60 * POINT,
      10_000,
      { percent: Math.round((9.4 / 910_000) * POINT * 910_000), demand: 910_000 },
    ],
    [
      "takes demand that cost nothing for a quarter of the price at least",
      known,
      POINT,
      50_000_000,
      { percent: 10 * POINT, demand: 1_300_000 },
    ],
    [
      "forgets a first rise that was dearer than could be: the window was begun when we came",
      { percent: POINT, demand: 10 },
      POINT,
      50_000,
      { percent: POINT, demand: 40 },
    ],
    [
      "keeps its quotient where demand is a few requests",
      { percent: 4 * POINT, demand: 4 },
      POINT,
      1,
      { percent: 5 * POINT, demand: 5 },
    ],
    [
      "stays countable when demand is all that can be counted",
      { percent: POINT, demand: MOST },
      POINT,
      MOST,
      { percent: POINT, demand: MOST },
    ],
  ];
  test.each(rows)("%s", (_sentence, rate, rise, demand, expected) => {
    expect(learnRate(rate, { rise, demand })).toEqual(expected);
  });
});

const whole = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  fc.integer({ min: 1, max: 100_000_000 }),
  fc.integer({ min: 1, max: MOST }),
);

describe("for any rate and rise", () => {
  it("one rise leaves it within a factor of 4, whole and countable, on the side of the rise", () => {
    fc.assert(
      fc.property(
        fc.record({ percent: whole, demand: whole }),
        fc.record({ rise: fc.integer({ min: 1, max: 10_000_000_000 }), demand: whole }),
        (rate, seen) => {
          const { percent, demand } = learnRate(rate, seen)!;
          for (const sum of [percent, demand]) {
            expect(Number.isSafeInteger(sum)).toBe(true);
            expect(sum).toBeGreaterThan(0);
          }
          const times = percent / demand / (rate.percent / rate.demand);
          const most = 4 * (1 + 1 / percent + 1e-9); // what is rounded is felt where it is a few grains
          expect(times).toBeLessThanOrEqual(most);
          expect(times).toBeGreaterThanOrEqual(1 / most);
          const said = seen.rise / seen.demand / (rate.percent / rate.demand);
          if (percent > 1_000 && said > 1.1) expect(times).toBeGreaterThan(0.999);
          if (percent > 1_000 && said < 0.9) expect(times).toBeLessThan(1.001);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([0.02, 0.2, 0.6, 1, 2.5])(
    "learned from whole percents, rounded down, with up to %d of one used between readings, it is right to a tenth after twenty rises",
    (stride) => {
      const errors = Array.from({ length: 200 }, (_, seed) => {
        const random = seeded(seed);
        const perPoint = Math.floor(20 + random() * 1_000_000);
        const { percent, demand } = learned({ perPoint, stride, random }, 20)!;
        return Math.abs((percent / demand) * (perPoint / POINT) - 1);
      }).sort((a, b) => a - b);
      expect(errors.at(-1)).toBeLessThan(0.1);
      expect(errors[100]).toBeLessThan(0.03);
    },
  );
});

describe("provisional use", () => {
  const rate: PercentRate = { percent: POINT, demand: 50_000 };
  const rows: readonly (readonly [string, PercentRate | undefined, number, number])[] = [
    ["is none while nothing is learned", undefined, 1_000, 0],
    ["is none without demand", rate, 0, 0],
    ["is none for a counter below 0", rate, -1_000, 0],
    ["is demand at the learned price", rate, 1_000, 20_000],
    ["is rounded up to a whole grain", { percent: 1, demand: 3 }, 1, 1],
    ["is rounded up past a whole one", { percent: 1, demand: 3 }, 4, 2],
    ["is not rounded where it is whole", { percent: 1, demand: 3 }, 6, 2],
    ["is a whole window at most", rate, MOST, 100 * POINT],
    ["reaches the whole window", rate, 5_000_000, 100 * POINT],
    ["is exact where doubles are not", { percent: 90_000_001, demand: MOST }, MOST, 90_000_001],
    ["is rounded up where doubles cannot tell", { percent: 3, demand: MOST - 1 }, MOST, 4],
  ];
  test.each(rows)("%s", (_sentence, known, demand, expected) => {
    expect(provisionalPercent(known, demand)).toBe(expected);
  });

  it("is the smallest whole number not below the price, for any rate and demand, and never falls with more of it", () => {
    fc.assert(
      fc.property(
        fc.record({ percent: whole, demand: whole }),
        whole,
        fc.nat(1_000),
        (known, demand, more) => {
          const found = provisionalPercent(known, demand);
          const exact = BigInt(demand) * BigInt(known.percent);
          const per = BigInt(known.demand);
          if (found < 100 * POINT) {
            expect(BigInt(found) * per >= exact && (BigInt(found) - 1n) * per < exact).toBe(true);
          } else expect(exact > (BigInt(found) - 1n) * per).toBe(true);
          expect(provisionalPercent(known, Math.min(MOST, demand + more))).toBeGreaterThanOrEqual(found);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

/** The rate after so many rises that readings in whole percents have shown, of a window that the owner had begun. */
function learned(
  use: { readonly perPoint: number; readonly stride: number; readonly random: () => number },
  rises: number,
): PercentRate | undefined {
  const before = use.random();
  let rate: PercentRate | undefined;
  let [used, shown, demand] = [0, 0, 0];
  for (let seen = 0; seen < rises;) {
    const tokens = Math.ceil(use.random() * use.stride * use.perPoint);
    used += tokens;
    demand += tokens;
    const reading = Math.floor(before + used / use.perPoint);
    if (reading === shown) continue;
    rate = learnRate(rate, { rise: (reading - shown) * POINT, demand });
    shown = reading;
    demand = 0;
    seen += 1;
  }
  return rate;
}

/** Even numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
