import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUARTER_MS, quarterFrom, quarterOf } from "../src/index.js";

describe("quarters of an hour", () => {
  test.each([
    [0, 0, 0],
    [1, 0, QUARTER_MS],
    [QUARTER_MS - 1, 0, QUARTER_MS],
    [QUARTER_MS, QUARTER_MS, QUARTER_MS],
  ])("%i lies in the one that opens at %i, and the first from then on opens at %i", (at, opens, first) => {
    expect([quarterOf(at), quarterFrom(at)]).toEqual([opens, first]);
  });

  test("a moment lies in its quarter, and before the next that opens", () => {
    fc.assert(
      fc.property(fc.nat({ max: 4_102_444_800_000 }), (at) => {
        expect(quarterOf(at)).toBeLessThanOrEqual(at);
        expect(quarterOf(at) + QUARTER_MS).toBeGreaterThan(at);
        expect(quarterFrom(at)).toBe(quarterOf(at) === at ? at : quarterOf(at) + QUARTER_MS);
      }),
    );
  });
});
