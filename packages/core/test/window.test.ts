import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  bucketWeight,
  currentBucket,
  leaseGeneration,
  leaseGenerations,
  useAt,
  WINDOW_MS,
  windowBucket,
  windowBuckets,
  type WindowShape,
} from "@quota/core";
import { moment, windowShape } from "./arbitraries.js";

const HOUR = WINDOW_MS.hourly;
const rolling = { slotMs: HOUR, slots: 1, edge: "weighted" } as const;
const slotted = { slotMs: HOUR / 4, slots: 4, edge: "weighted" } as const;
const full = { slotMs: HOUR / 4, slots: 4, edge: "full" } as const;
const fixed = { slotMs: HOUR, slots: 1, edge: "fixed" } as const;

describe("which buckets count, and how much: [next, current, …, oldest]", () => {
  const rows: readonly (readonly [string, WindowShape, number, readonly number[]])[] = [
    ["two buckets at the start of an hour: the last hour counts whole", rolling, 10 * HOUR, [1, 1, 1]],
    ["… a quarter later: three quarters of it", rolling, 10.25 * HOUR, [1, 1, 0.75]],
    ["… half-way: half of it", rolling, 10.5 * HOUR, [1, 1, 0.5]],
    ["four slots, half-way through one: only the oldest fades", slotted, 10.125 * HOUR, [1, 1, 1, 1, 1, 0.5]],
    ["a full edge: the oldest counts whole to its end", full, 10.249 * HOUR, [1, 1, 1, 1, 1, 1]],
    ["a fixed window: this one and nothing before it", fixed, 10.999 * HOUR, [1, 1]],
  ];
  test.each(rows)("%s", (_sentence, shape, now, weights) => {
    const buckets = windowBuckets(shape, now);
    expect(buckets.map((bucket) => bucketWeight(bucket, now))).toEqual(weights);
    expect(buckets.map(({ index }) => index)).toEqual(
      weights.map((_weight, i) => currentBucket(shape.slotMs, now) + 1 - i),
    );
  });

  it("starts fixed windows on the epoch", () => {
    const [, current] = windowBuckets({ ...fixed, slotMs: WINDOW_MS.daily }, Date.UTC(2026, 0, 5, 17, 30));
    expect(current!.index * WINDOW_MS.daily).toBe(Date.UTC(2026, 0, 5));
    expect(current!.goneAt).toBe(Date.UTC(2026, 0, 6));
  });

  it("lets nothing of a fixed window into the next", () => {
    const bucket = windowBucket(fixed, 10);
    expect([11 * HOUR - 1, 11 * HOUR].map((now) => bucketWeight(bucket, now))).toEqual([1, 0]);
  });
});

describe("lease generations", () => {
  it("are the next, the current and the previous one", () => {
    expect(leaseGenerations(600_000, 6_000_000).map(({ index }) => index)).toEqual([11, 10, 9]);
  });

  it("let go of a hold within two, whole until then", () => {
    const made = leaseGeneration(600_000, currentBucket(600_000, 6_599_999));
    expect(bucketWeight(made, 7_199_999)).toBe(1);
    expect(bucketWeight(made, 7_200_000)).toBe(0);
    expect(leaseGenerations(600_000, 7_200_000)).not.toContainEqual(made);
  });
});

describe("how long a window is", () => {
  it("a month that is not anchored is thirty days, not a calendar month", () => {
    const opened = Date.UTC(2026, 1, 3);
    expect(new Date(opened + WINDOW_MS.monthly).toISOString()).toBe("2026-03-05T00:00:00.000Z");
  });

  test.each([
    ["hourly", 3_600_000],
    ["5h", 18_000_000],
    ["daily", 86_400_000],
    ["weekly", 604_800_000],
    ["monthly", 2_592_000_000],
  ] as const)("%s is %d ms", (name, ms) => {
    expect(WINDOW_MS[name]).toBe(ms);
  });
});

describe("for any shape and moment", () => {
  it("one weighted slot is the two-bucket formula, to the last bit", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: WINDOW_MS.monthly }),
        fc.nat(2 ** 41),
        fc.nat(1e9),
        fc.nat(1e9),
        (windowMs, now, previous, current) => {
          const buckets = windowBuckets({ slotMs: windowMs, slots: 1, edge: "weighted" }, now);
          const elapsed = now - Math.floor(now / windowMs) * windowMs;
          expect(useAt({ buckets, amounts: [0, current, previous] }, now)).toBe(
            previous * (1 - elapsed / windowMs) + current,
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("the oldest slot counts by what the window still covers of it, the others whole", () => {
    fc.assert(
      fc.property(windowShape, moment, (shape, now) => {
        const elapsed = now - currentBucket(shape.slotMs, now) * shape.slotMs;
        const weights = windowBuckets(shape, now).map((bucket) => bucketWeight(bucket, now));
        const oldest = shape.edge === "weighted" ? 1 - elapsed / shape.slotMs : 1;
        expect(weights.at(-1)).toBe(oldest);
        expect(weights.slice(0, -1).every((weight) => weight === 1)).toBe(true);
        expect(weights).toHaveLength(shape.edge === "fixed" ? 2 : shape.slots + 2);
      }),
      { numRuns: 1000 },
    );
  });

  it("a weight is from 0 to 1 and only falls, wherever the clock stands", () => {
    fc.assert(
      fc.property(
        windowShape,
        fc.integer({ min: -50, max: 50 }),
        fc.nat(20_000),
        fc.nat(500),
        (shape, index, at, later) => {
          const bucket = windowBucket(shape, index);
          const now = at - 10_000;
          const weight = bucketWeight(bucket, now);
          expect(weight).toBeGreaterThanOrEqual(0);
          expect(weight).toBeLessThanOrEqual(1);
          expect(bucketWeight(bucket, now + later)).toBeLessThanOrEqual(weight);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("a clock that steps back by up to a slot still sees what was counted ahead of it, whole", () => {
    fc.assert(
      fc.property(windowShape, moment, fc.nat(200), (shape, now, back) => {
        const written = currentBucket(shape.slotMs, now);
        const earlier = now - Math.min(back, shape.slotMs);
        const seen = windowBuckets(shape, earlier).find(({ index }) => index === written);
        expect(seen && bucketWeight(seen, earlier)).toBe(1);
      }),
      { numRuns: 1000 },
    );
  });

  it("use is gone at most a slot after it leaves the true window, and never before where the edge is full", () => {
    fc.assert(
      fc.property(windowShape, moment, (shape, at) => {
        fc.pre(shape.edge === "full");
        const { goneAt } = windowBucket(shape, currentBucket(shape.slotMs, at));
        const late = goneAt - (at + shape.slots * shape.slotMs);
        expect(late).toBeGreaterThan(0);
        expect(late).toBeLessThanOrEqual(shape.slotMs);
      }),
      { numRuns: 1000 },
    );
  });
});
