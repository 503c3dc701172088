import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { WINDOW_MS, type WindowShape } from "@quota/core";
import { windowShape } from "./arbitraries.js";
import { countedWindow, worstCase } from "./countedWindow.js";

const HOUR = WINDOW_MS.hourly;

describe("the worst a client can do at a limit of 1000 an hour, in one true hour", () => {
  const rows: readonly (readonly [string, WindowShape, number, number])[] = [
    ["two buckets: almost twice the limit", { slotMs: HOUR, slots: 1, edge: "weighted" }, 1998, 1999],
    ["more slots do not cure it", { slotMs: HOUR / 12, slots: 12, edge: "weighted" }, 1998, 1999],
    ["a full edge does", { slotMs: HOUR / 12, slots: 12, edge: "full" }, 1000, 1000],
    ["… with a single slot too", { slotMs: HOUR, slots: 1, edge: "full" }, 1000, 1000],
    [
      "a fixed window promises nothing about true windows",
      { slotMs: HOUR, slots: 1, edge: "fixed" },
      2000,
      2000,
    ],
  ];
  test.each(rows)("%s", (_sentence, shape, least, most) => {
    const held = worstCase(shape, 1000);
    expect(held).toBeGreaterThanOrEqual(least);
    expect(held).toBeLessThanOrEqual(most);
  });
});

describe("two gateways whose clocks are 10 s apart, around the end of an hour", () => {
  test.each<readonly [string, WindowShape]>([
    ["two buckets", { slotMs: HOUR, slots: 1, edge: "weighted" }],
    ["60 slots, full", { slotMs: HOUR / 60, slots: 60, edge: "full" }],
  ])("%s: 4 are allowed, 4 pass, and both name the same moment", (_sentence, shape) => {
    const window = countedWindow(shape, 4);
    const edge = 500 * HOUR;
    for (let second = -15; second <= 15; second += 1)
      for (const skew of [0, -10]) window.ask(1, edge + (second + skew) * 1000);
    expect(window.admitted).toBe(4);
    const [ahead, behind] = [0, -10_000].map((skew) => window.ask(1, edge + 20_000 + skew));
    expect(ahead).toMatchObject({ reason: "global-saturated" });
    const moments = [ahead, behind].map((decision) =>
      decision?.status === "refused" ? decision.retryAt! : NaN,
    );
    expect(Math.abs(moments[0]! - moments[1]!)).toBeLessThanOrEqual(1000);
  });
});

/** Arrivals that lie in wait at the edges of slots, and come back the moment a refusal names. */
const arrivals = fc.array(
  fc.record({
    gap: fc.oneof(fc.constantFrom("same", "edge", "before-edge", "retry"), fc.nat(60)),
    cost: fc.oneof(fc.constant(1), fc.nat(12)),
  }),
  { minLength: 1, maxLength: 120 },
);

function play(
  shape: WindowShape,
  limit: number,
  requests: typeof arrivals extends fc.Arbitrary<infer All> ? All : never,
) {
  const window = countedWindow(shape, limit);
  let now = 1_000;
  let retryAt: number | undefined;
  for (const { gap, cost } of requests) {
    const edge = (Math.floor(now / shape.slotMs) + 1) * shape.slotMs;
    if (typeof gap === "number") now += gap;
    else if (gap === "edge") now = edge;
    else if (gap === "before-edge") now = Math.max(now, edge - 1);
    else if (gap === "retry") now = Math.max(now, retryAt ?? now);
    const decision = window.ask(cost, now);
    retryAt = decision.status === "refused" ? decision.retryAt : undefined;
  }
  return window.most(shape.slotMs * shape.slots);
}

describe("for any arrivals", () => {
  const limit = fc.integer({ min: 1, max: 40 });

  it("with a full edge no true window ever holds more than the limit", () => {
    fc.assert(
      fc.property(windowShape, limit, arrivals, (shape, ceiling, requests) => {
        expect(play({ ...shape, edge: "full" }, ceiling, requests)).toBeLessThanOrEqual(ceiling);
      }),
      { numRuns: 400 },
    );
  });

  it("with a weighted edge, or a fixed window, none holds more than twice the limit", () => {
    fc.assert(
      fc.property(windowShape, limit, arrivals, (shape, ceiling, requests) => {
        expect(play(shape, ceiling, requests)).toBeLessThanOrEqual(2 * ceiling);
      }),
      { numRuns: 400 },
    );
  });
});
