import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  fixedWindowAt,
  parseDimensions,
  WINDOW_MS,
  WINDOWS,
  type Anchor,
  type FixedWindow,
  type WindowName,
} from "@quota/core";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The anchor as a plan has it: parsed, so that it remembers its windows. */
function parsed(window: WindowName, anchor: Anchor): Anchor {
  const plan = parseDimensions([{ unit: "requests", window, limit: 1, anchor }]);
  if (!plan.ok) throw new Error(JSON.stringify(plan.faults));
  return plan.value[0]!.anchor!;
}

function windowOf(question: { readonly window: WindowName; readonly anchor: Anchor }, at: string): string[] {
  const { opens, resets } = fixedWindowAt(question, Date.parse(at));
  return [opens, resets].map((instant) => new Date(instant).toISOString().replace(/(:00)?\.000Z$/, "Z"));
}

describe("a fixed window", () => {
  const rows: readonly (readonly [string, WindowName, Anchor, string, string, string])[] = [
    [
      "on the epoch, an hour starts on the hour of UTC",
      "hourly",
      "epoch",
      "2026-03-05T10:59:59Z",
      "2026-03-05T10:00Z",
      "2026-03-05T11:00Z",
    ],
    [
      "on the epoch, a week starts on a Thursday",
      "weekly",
      "epoch",
      "2026-03-04T23:59:59.999Z",
      "2026-02-26T00:00Z",
      "2026-03-05T00:00Z",
    ],
    [
      "at the first use, it opens now",
      "5h",
      "first-use",
      "2026-03-05T10:17:03Z",
      "2026-03-05T10:17:03Z",
      "2026-03-05T15:17:03Z",
    ],
    [
      "at the first use, a month is thirty days",
      "monthly",
      "first-use",
      "2026-02-03T00:00Z",
      "2026-02-03T00:00Z",
      "2026-03-05T00:00Z",
    ],
    [
      "on the calendar, it is February, whenever in it somebody begins",
      "monthly",
      { calendar: "UTC" },
      "2026-02-03T00:00Z",
      "2026-02-01T00:00Z",
      "2026-03-01T00:00Z",
    ],
    [
      "a month in Tokyo is July until 15:00 in UTC …",
      "monthly",
      { calendar: "Asia/Tokyo" },
      "2026-07-31T14:59:59.999Z",
      "2026-06-30T15:00Z",
      "2026-07-31T15:00Z",
    ],
    [
      "… and August from then on, not nine hours later",
      "monthly",
      { calendar: "Asia/Tokyo" },
      "2026-07-31T15:00Z",
      "2026-07-31T15:00Z",
      "2026-08-31T15:00Z",
    ],
    [
      "February of a leap year has 29 days",
      "monthly",
      { calendar: "Europe/Paris" },
      "2028-02-29T12:00Z",
      "2028-01-31T23:00Z",
      "2028-02-29T23:00Z",
    ],
    [
      "December ends with the year",
      "monthly",
      { calendar: "America/New_York" },
      "2027-01-01T04:59Z",
      "2026-12-01T05:00Z",
      "2027-01-01T05:00Z",
    ],
    [
      "an ISO week begins on Monday",
      "weekly",
      { calendar: "UTC" },
      "2026-03-01T23:59:59Z",
      "2026-02-23T00:00Z",
      "2026-03-02T00:00Z",
    ],
    [
      "a week goes on over New Year",
      "weekly",
      { calendar: "Europe/Berlin" },
      "2026-12-31T12:00Z",
      "2026-12-27T23:00Z",
      "2027-01-03T23:00Z",
    ],
    [
      "a week in which clocks go forward has 167 hours",
      "weekly",
      { calendar: "Europe/Berlin" },
      "2026-03-29T12:00Z",
      "2026-03-22T23:00Z",
      "2026-03-29T22:00Z",
    ],
    [
      "a day on which clocks go forward has 23 hours",
      "daily",
      { calendar: "America/New_York" },
      "2026-03-08T12:00Z",
      "2026-03-08T05:00Z",
      "2026-03-09T04:00Z",
    ],
    [
      "a day on which clocks go back has 25 hours",
      "daily",
      { calendar: "America/New_York" },
      "2026-11-01T12:00Z",
      "2026-11-01T04:00Z",
      "2026-11-02T05:00Z",
    ],
    [
      "Beirut has no midnight when clocks go forward: the day opens at 01:00",
      "daily",
      { calendar: "Asia/Beirut" },
      "2026-03-29T12:00Z",
      "2026-03-28T22:00Z",
      "2026-03-29T21:00Z",
    ],
    [
      "… and the day before ends then",
      "daily",
      { calendar: "Asia/Beirut" },
      "2026-03-28T21:59:59.999Z",
      "2026-03-27T22:00Z",
      "2026-03-28T22:00Z",
    ],
    [
      "São Paulo had no midnight in 2018",
      "daily",
      { calendar: "America/Sao_Paulo" },
      "2018-11-04T03:00Z",
      "2018-11-04T03:00Z",
      "2018-11-05T02:00Z",
    ],
    [
      "São Paulo had the hour before midnight twice",
      "daily",
      { calendar: "America/Sao_Paulo" },
      "2018-02-18T02:30Z",
      "2018-02-17T02:00Z",
      "2018-02-18T03:00Z",
    ],
    [
      "Havana has midnight twice: the first counts",
      "daily",
      { calendar: "America/Havana" },
      "2026-11-01T05:30Z",
      "2026-11-01T04:00Z",
      "2026-11-02T05:00Z",
    ],
    [
      "St. John's was back on the day before a minute after midnight: it stays the new day",
      "daily",
      { calendar: "America/St_Johns" },
      "2006-10-29T02:45Z",
      "2006-10-29T02:30Z",
      "2006-10-30T03:30Z",
    ],
    [
      "Apia's 29 December 2011 …",
      "daily",
      { calendar: "Pacific/Apia" },
      "2011-12-30T09:59:59.999Z",
      "2011-12-29T10:00Z",
      "2011-12-30T10:00Z",
    ],
    [
      "… was followed by the 31st",
      "daily",
      { calendar: "Pacific/Apia" },
      "2011-12-30T10:00Z",
      "2011-12-30T10:00Z",
      "2011-12-31T10:00Z",
    ],
    [
      "that week had six days",
      "weekly",
      { calendar: "Pacific/Apia" },
      "2011-12-31T00:00Z",
      "2011-12-26T10:00Z",
      "2012-01-01T10:00Z",
    ],
    [
      "Kathmandu is 5:45 ahead",
      "daily",
      { calendar: "Asia/Kathmandu" },
      "2026-03-05T18:15Z",
      "2026-03-05T18:15Z",
      "2026-03-06T18:15Z",
    ],
    [
      "Lord Howe moves its clocks by half an hour",
      "daily",
      { calendar: "Australia/Lord_Howe" },
      "2026-04-05T00:00Z",
      "2026-04-04T13:00Z",
      "2026-04-05T13:30Z",
    ],
    [
      "Liberia's clocks were 44 minutes and 30 seconds behind",
      "daily",
      { calendar: "Africa/Monrovia" },
      "1971-06-01T12:00Z",
      "1971-06-01T00:44:30Z",
      "1971-06-02T00:44:30Z",
    ],
  ];
  test.each(rows)("%s", (_sentence, window, anchor, at, opens, resets) => {
    expect(windowOf({ window, anchor }, at)).toEqual([opens, resets]);
    expect(windowOf({ window, anchor: parsed(window, anchor) }, at)).toEqual([opens, resets]);
  });

  it("has no calendar of five hours, and none of a zone that nobody knows", () => {
    const day = { window: "daily", anchor: { calendar: "Mars/Olympus" } } as const;
    expect(() => fixedWindowAt(day, 0)).toThrow(TypeError);
    const hours = { window: "5h", anchor: { calendar: "UTC" } } as const;
    expect(() => fixedWindowAt(hours, 0)).toThrow("no calendar of UTC with 5h windows");
  });
});

/** Zones whose days have other lengths than 23, 24 or 25 hours: half-hour, two-hour and three-hour changes of clocks. */
const ODD_ZONES = ["Australia/Lord_Howe", "Antarctica/Troll", "Antarctica/Casey", "Antarctica/Vostok"];
const ZONES = Intl.supportedValuesOf("timeZone").filter((zone) => !ODD_ZONES.includes(zone));
const calendarNames = ["daily", "weekly", "monthly"] as const;

/** Years in which many zones have changed more than their summer time. */
const from1975 = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2037, 0) });

/** Since when no other zone has changed its clocks by anything but an hour. */
const since2019 = fc.integer({ min: Date.UTC(2019, 0), max: Date.UTC(2037, 0) });

const calendarDay = fc.record({
  window: fc.constantFrom(...calendarNames),
  zone: fc.constantFrom(...ZONES, ...ODD_ZONES, "UTC"),
  now: from1975,
});

const anyAnchor: fc.Arbitrary<{ readonly window: WindowName; readonly anchor: Anchor }> = fc.oneof(
  fc.record({
    window: fc.constantFrom(...calendarNames),
    anchor: fc.constantFrom(...ZONES).map((calendar) => ({ calendar })),
  }),
  fc.record({
    window: fc.constantFrom(...WINDOWS),
    anchor: fc.constantFrom<Anchor>("epoch", "first-use"),
  }),
);

describe("for any anchor and moment", () => {
  it("now lies in its window", () => {
    fc.assert(
      fc.property(anyAnchor, from1975, (question, now) => {
        const { opens, resets } = fixedWindowAt(question, now);
        expect(opens).toBeLessThanOrEqual(now);
        expect(resets).toBeGreaterThan(now);
        if (typeof question.anchor === "string") expect(resets - opens).toBe(WINDOW_MS[question.window]);
      }),
      { numRuns: 150 },
    );
  });

  it("windows of the epoch and of a calendar follow each other without gap or overlap, and all of one is one window", () => {
    fc.assert(
      fc.property(anyAnchor, from1975, fc.double({ min: 0, max: 1, noNaN: true }), (question, now, part) => {
        fc.pre(question.anchor !== "first-use");
        const found = fixedWindowAt(question, now);
        const { opens, resets } = found;
        const inside = opens + Math.floor(part * (resets - opens - 1));
        for (const at of [opens, inside, resets - 1]) expect(fixedWindowAt(question, at)).toEqual(found);
        expect(fixedWindowAt(question, resets).opens).toBe(resets);
        expect(fixedWindowAt(question, opens - 1).resets).toBe(opens);
      }),
      { numRuns: 150 },
    );
  });
});

describe("for any calendar", () => {
  it("clocks show the same period from the first to the last moment of a window, and another one around it", () => {
    fc.assert(
      fc.property(calendarDay, ({ window, zone, now }) => {
        const { opens, resets } = fixedWindowAt({ window, anchor: { calendar: zone } }, now);
        const period = periodShown(window, zone);
        expect(period(resets - 1)).toBe(period(opens));
        expect(period(resets)).not.toBe(period(opens));
        expect(period(opens - 1)).not.toBe(period(opens));
      }),
      { numRuns: 150 },
    );
  });

  it("a day has 23 to 25 hours, and a month 28 to 31 of them", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), since2019, (zone, now) => {
        const lengthMs = (window: WindowName): number => {
          const { opens, resets } = fixedWindowAt({ window, anchor: { calendar: zone } }, now);
          return resets - opens;
        };
        expect([23 * HOUR, 24 * HOUR, 25 * HOUR]).toContain(lengthMs("daily"));
        expect(Math.abs(lengthMs("weekly") - 7 * DAY)).toBeLessThanOrEqual(HOUR);
        expect([28, 29, 30, 31]).toContain(Math.round(lengthMs("monthly") / DAY));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ["America/New_York", 2],
    ["Asia/Beirut", 2],
    ["America/Havana", 2],
    ["Africa/Casablanca", 2],
    ["Asia/Tokyo", 0],
    ["Africa/Cairo", 2],
  ])("two years in %s are tiled by days, %d of which a year are not 24 hours long", (calendar, odd) => {
    const days = tiles({ window: "daily", anchor: parsed("daily", { calendar }) }, 2026, 2028);
    expect(days).toHaveLength(365 + 365);
    expect(days.filter(({ opens, resets }) => resets - opens !== DAY)).toHaveLength(2 * odd);
  });

  it("thirty years are tiled by months, and some by weeks, wherever", () => {
    for (const calendar of ["Pacific/Apia", "America/Sao_Paulo", "Asia/Kathmandu", "Europe/London"]) {
      expect(tiles({ window: "monthly", anchor: parsed("monthly", { calendar }) }, 2007, 2037)).toHaveLength(
        360,
      );
      const weeks = tiles({ window: "weekly", anchor: parsed("weekly", { calendar }) }, 2010, 2013);
      expect(new Set(weeks.map(({ opens }) => weekdayIn(calendar, opens)))).toEqual(new Set(["Monday"]));
    }
  });

  it("a parsed anchor, which remembers, and a copy of it answer alike, in any order of moments", () => {
    const anchors = new Map(
      calendarNames.map((window) => [window, parsed(window, { calendar: "Europe/Paris" })]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...calendarNames), fc.integer({ min: 0, max: 2_000 }), (window, hours) => {
        const now = Date.UTC(2026, 2) + hours * HOUR;
        const copy = JSON.parse(JSON.stringify(anchors.get(window))) as Anchor;
        expect(copy).toEqual({ calendar: "Europe/Paris" });
        expect(fixedWindowAt({ window, anchor: anchors.get(window)! }, now)).toEqual(
          fixedWindowAt({ window, anchor: copy }, now),
        );
      }),
      { numRuns: 200 },
    );
  });
});

/** The windows that begin in these years, each found from the end of the one before. */
function tiles(
  question: { readonly window: WindowName; readonly anchor: Anchor },
  fromYear: number,
  toYear: number,
): readonly FixedWindow[] {
  const found: FixedWindow[] = [];
  let next = fixedWindowAt(question, Date.UTC(fromYear, 0, 1, 12));
  while (next.opens < Date.UTC(toYear, 0, 1) - 15 * HOUR) {
    found.push(next);
    next = fixedWindowAt(question, next.resets);
    expect(next.opens).toBe(found.at(-1)!.resets);
  }
  return found;
}

/** The date, the Monday before it or the month that clocks in a zone show, as text. */
function periodShown(window: WindowName, zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" });
  return (instant) => {
    const date = format.format(instant);
    if (window === "daily") return date;
    if (window === "monthly") return date.slice(0, 7);
    const monday = new Date(`${date}T00:00Z`);
    while (monday.getUTCDay() !== 1) monday.setUTCDate(monday.getUTCDate() - 1);
    return monday.toISOString();
  };
}

function weekdayIn(zone: string, instant: number): string {
  return new Intl.DateTimeFormat("en-US", { timeZone: zone, weekday: "long" }).format(instant);
}
