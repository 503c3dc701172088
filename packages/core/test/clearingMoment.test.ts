import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { clearingMoment, useAt, windowBuckets, type Use } from "@quota/core";
import { bucketsAt, moment, windowShape } from "./arbitraries.js";

const [, current, previous] = windowBuckets({ slotMs: 100, slots: 1, edge: "weighted" }, 125);
const use = (now: number, before: number): Use => ({
  buckets: [current!, previous!],
  amounts: [now, before],
});

describe("when a use passes a bound: 100 ms windows, asked at 125", () => {
  const atMost = (bound: number) => ({ bound, passes: (amount: number) => amount <= bound });
  const rows: readonly (readonly [string, Use, number, number | undefined])[] = [
    ["it passes already: now", use(0, 40), 30, 125],
    ["the old bucket fades: 40 is down to 20 half-way", use(0, 40), 20, 150],
    ["down to nothing when it is gone", use(0, 40), 0, 200],
    ["the current bucket only begins to fade at its end", use(40, 0), 30, 225],
    ["both, one after the other", use(40, 40), 10, 275],
    ["a plain number never fades", 40, 30, undefined],
    ["a bound below zero is never passed", use(40, 40), -1, undefined],
  ];
  test.each(rows)("%s", (_sentence, asked, bound, expected) => {
    expect(clearingMoment({ use: asked, ...atMost(bound) }, 125)).toBe(expected);
  });

  it("is a millisecond later where the bound itself does not pass", () => {
    const below = { bound: 20, passes: (amount: number) => amount < 20 };
    expect(clearingMoment({ use: use(0, 40), ...below }, 125)).toBe(151);
  });

  it("is found at once where rounding makes stairs of the line: a grain fades over a month beside 2^53", () => {
    const month = 2_592_000_000;
    const [, now, before] = windowBuckets({ slotMs: month, slots: 1, edge: "weighted" }, 700 * month);
    const bound = Number.MAX_SAFE_INTEGER - 2;
    let looks = 0;
    const passes = (amount: number) => {
      looks += 1;
      return amount <= bound;
    };
    const fading: Use = { buckets: [now!, before!], amounts: [bound, 2] };
    const clears = clearingMoment({ use: fading, bound, passes }, 700 * month)!;
    expect(looks).toBeLessThan(50);
    expect(useAt(fading, clears)).toBe(bound);
    expect(useAt(fading, clears - 1)).toBeGreaterThan(bound);
  });

  it("agrees with the comparison where rounding would put it one off", () => {
    const third = use(0, 3);
    const below = { bound: 1, passes: (amount: number) => amount < 1 };
    const clears = clearingMoment({ use: third, ...below }, 125)!;
    expect(useAt(third, clears)).toBeLessThan(1);
    expect(useAt(third, clears - 1)).toBeGreaterThanOrEqual(1);
  });
});

it("is what trying every millisecond finds, whatever the buckets hold", () => {
  const asked = fc.record({ shape: windowShape, leaseMs: fc.integer({ min: 20, max: 300 }), now: moment });
  fc.assert(
    fc.property(
      asked.chain(({ shape, leaseMs, now }) => {
        const buckets = bucketsAt(shape, leaseMs, now);
        return fc.record({
          now: fc.constant(now),
          // Everybody's amounts are signed: a hold that had evaporated may be given back.
          use: fc
            .array(fc.integer({ min: -5, max: 40 }), { minLength: buckets.length, maxLength: buckets.length })
            .map((amounts): Use => ({ buckets, amounts })),
          // Anything, or the very amount that will be left some milliseconds from now.
          aim: fc.oneof(fc.integer({ min: -5, max: 150 }), fc.record({ leftAfter: fc.nat(300) })),
          strictly: fc.boolean(),
        });
      }),
      ({ now, use: fading, aim, strictly }) => {
        const bound = typeof aim === "number" ? aim : useAt(fading, now + aim.leftAfter);
        const passes = (amount: number) => (strictly ? amount < bound : amount <= bound);
        let first: number | undefined;
        // All is gone within six slots of 50 ms or two of 300 ms, wherever in its slot `now` lies.
        for (let at = now; first === undefined && at <= now + 1_000; at += 1)
          if (passes(useAt(fading, at))) first = at;
        expect(clearingMoment({ use: fading, bound, passes }, now)).toBe(first);
      },
    ),
    { numRuns: 600 },
  );
});
