import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrivalsOf, type Arrivals } from "../src/arrivals.js";
import { draws } from "../src/draws.js";
import { createEventQueue } from "../src/eventQueue.js";

describe("gaps between requests", () => {
  it.each([0, 0.3, 1, 2.5, 8])("have mean 1 and a coefficient of variation of %f", (cv) => {
    const { gap } = draws("seed");
    const gaps = Array.from({ length: 400_000 }, () => gap(cv));
    const mean = gaps.reduce((sum, each) => sum + each, 0) / gaps.length;
    const variance = gaps.reduce((sum, each) => sum + (each - mean) ** 2, 0) / gaps.length;
    expect(Math.abs(mean - 1)).toBeLessThan(0.05);
    expect(Math.abs(Math.sqrt(variance) - cv)).toBeLessThanOrEqual(cv * 0.05);
  });
});

describe("the requests of a key", () => {
  it("come at its rate, and never while it is idle", () => {
    const perMs = Float64Array.of(0.01, 0, 0.002, 0);
    const moments = all(arrivalsOf({ slotMs: 1_000_000, perMs, gapCv: Float64Array.of(1, 0, 2, 0) }, "seed"));
    const counts = perMs.map((_, slot) => moments.filter((at) => Math.floor(at / 1_000_000) === slot).length);
    expect(Math.abs(counts[0]! - 10_000)).toBeLessThan(400);
    expect(Math.abs(counts[2]! - 2_000)).toBeLessThan(300);
    expect([counts[1], counts[3]]).toEqual([0, 0]);
  });

  it("come as often as its rates add up to, where gaps are longer than slots", () => {
    const slots = 20_000;
    const rates = { perMs: new Float64Array(slots).fill(0.0001), gapCv: new Float64Array(slots).fill(1.5) };
    const { length } = all(arrivalsOf({ slotMs: 1000, ...rates }, "seed"));
    expect(Math.abs(length - 2000)).toBeLessThan(250);
  });

  it("are in order, and the same for the same seed", () => {
    const rates = { slotMs: 1000, perMs: Float64Array.of(0.1, 0.2), gapCv: Float64Array.of(3, 0.5) };
    const moments = all(arrivalsOf(rates, "seed"));
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(all(arrivalsOf(rates, "seed"))).toEqual(moments);
    expect(all(arrivalsOf(rates, "another"))).not.toEqual(moments);
  });

  function all(next: Arrivals): readonly number[] {
    const moments: number[] = [];
    for (let at = next(); at !== Infinity; at = next()) moments.push(at);
    return moments;
  }
});

it("events come by time, and those of one time in the order in which they were put in", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20), { nil: "pop" as const })), (acts) => {
      const queue = createEventQueue();
      let expected: { readonly at: number; readonly event: number }[] = [];
      acts.forEach((act, event) => {
        if (act === "pop") {
          expect(queue.nextAt).toBe(expected[0]?.at ?? Infinity);
          expect(queue.pop()).toBe(expected.shift()?.event);
        } else {
          queue.push(act, event);
          expected = [...expected, { at: act, event }].sort((a, b) => a.at - b.at || a.event - b.event);
        }
      });
      expect(queue.size).toBe(expected.length);
    }),
  );
});
