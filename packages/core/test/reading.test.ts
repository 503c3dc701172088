import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldAt, settledAt, useAt, type Use } from "@quota/core";
import { bucketsAt, moment, readingOver, windowShape } from "./arbitraries.js";

const reading = fc
  .record({ shape: windowShape, leaseMs: fc.integer({ min: 20, max: 300 }), now: moment })
  .chain(({ shape, leaseMs, now }) =>
    fc.record({
      use: readingOver(bucketsAt(shape, leaseMs, now)),
      now: fc.constant(now),
      later: fc.nat(2_000),
    }),
  );

describe("a plain number", () => {
  it("is settled and never fades", () => {
    expect([0, 1e15].map((now) => useAt(40, now))).toEqual([40, 40]);
    expect([heldAt(40, 0), settledAt(40, 0)]).toEqual([0, 40]);
  });
});

describe("for any reading", () => {
  it("what is settled and what is held are all there is", () => {
    fc.assert(
      fc.property(reading, ({ use, now, later }) => {
        const at = now + later;
        expect(settledAt(use, at) + heldAt(use, at)).toBeCloseTo(useAt(use, at), 9);
      }),
      { numRuns: 500 },
    );
  });

  it("use only fades, down to nothing", () => {
    fc.assert(
      fc.property(reading, ({ use, now, later }) => {
        expect(useAt(use, now + later)).toBeLessThanOrEqual(useAt(use, now));
        expect(useAt(use, now + 10_000)).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it("looking changes nothing", () => {
    fc.assert(
      fc.property(reading, ({ use, now }) => {
        const before: Use = structuredClone(use);
        settledAt(use, now);
        heldAt(use, now);
        expect(use).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });
});
