import fc from "fast-check";
import { QUARTER_MS, quarterOf } from "@quota/core";
import { describe, expect, test } from "vitest";
import { DAY_MS, dayName, spendSpans } from "../src/index.js";

const MIDNIGHT = Date.UTC(2026, 1, 10);
const HOUR = 3_600_000;

describe("spendSpans", () => {
  test("whole days are taken as days, and what is left as quarters", () => {
    expect(spendSpans({ from: MIDNIGHT - HOUR, to: MIDNIGHT + 2 * DAY_MS + HOUR })).toEqual({
      firstDay: MIDNIGHT,
      afterLastDay: MIDNIGHT + 2 * DAY_MS,
      firstQuarter: MIDNIGHT - HOUR,
      cutTo: MIDNIGHT + 2 * DAY_MS + HOUR,
    });
  });

  test("less than a day has no whole one", () => {
    const to = MIDNIGHT + HOUR;
    expect(spendSpans({ from: MIDNIGHT - HOUR, to })).toMatchObject({ firstDay: to, afterLastDay: to });
  });

  test("parts of quarters are cut at both ends", () => {
    expect(spendSpans({ from: MIDNIGHT + 1, to: MIDNIGHT + HOUR + 1 })).toMatchObject({
      firstQuarter: MIDNIGHT + QUARTER_MS,
      cutTo: MIDNIGHT + HOUR + QUARTER_MS,
    });
  });

  test("the spans hold every moment that is asked for once, and no other", () => {
    const moment = fc.nat({ max: 3 * DAY_MS });
    fc.assert(
      fc.property(moment, moment, moment, (a, b, at) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const { firstDay, afterLastDay, firstQuarter, cutTo } = spendSpans({ from, to });
        const day = Math.floor(at / DAY_MS) * DAY_MS;
        const quarter = quarterOf(at);
        const times =
          Number(day >= firstDay && day < afterLastDay) +
          Number(quarter >= from && quarter < firstDay) +
          Number(quarter >= afterLastDay && quarter < to) -
          Number(at >= to && at < cutTo) +
          Number(at >= from && at < firstQuarter);
        expect(times).toBe(Number(at >= from && at < to));
      }),
      { numRuns: 500 },
    );
  });

  test("a day is called by its date", () => {
    expect(dayName(MIDNIGHT / DAY_MS)).toBe("2026-02-10");
  });
});
