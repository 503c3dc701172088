import type { EpochMs } from "./units.js";

/** One fixed window: from `opens` up to, and without, `resets`. */
export interface FixedWindow {
  readonly opens: EpochMs;
  readonly resets: EpochMs;
}

/** The windows that follow a calendar. */
export type CalendarWindowName = "daily" | "weekly" | "monthly";

/** The day, ISO week (from Monday) or month that `now` lies in. */
export type CalendarWindows = (window: CalendarWindowName, now: EpochMs) => FixedWindow;

/**
 * The calendar of a time zone, by its IANA name; undefined where nobody knows the zone.
 *
 * A window opens at the first instant at which clocks there show its first date, or a later one. Where a change of clocks takes midnight
 * away (Beirut, until 2018 São Paulo), that is the instant of the change; where it brings midnight back, the first of the two; and a date
 * that was skipped (2011-12-30 in Apia) has no window. So windows follow each other without a gap, and a day is 23 to 25 hours long.
 *
 * The last few windows are kept, since a request asks for the same ones again and again; a formatter of a zone is dear to make
 * and to keep, so one is made when a window must be found, and dropped.
 */
export function calendarWindows(zone: string): CalendarWindows | undefined {
  if (!isZone(zone)) return undefined;
  const kept: Record<CalendarWindowName, FixedWindow[]> = { daily: [], weekly: [], monthly: [] };
  return (window, now) => {
    const known = kept[window].find(({ opens, resets }) => opens <= now && now < resets);
    if (known !== undefined) return known;
    const found = findWindow({ window, localTime: localTimeIn(zone) }, now);
    kept[window] = [found, ...kept[window]].slice(0, WINDOWS_KEPT);
    return found;
  };
}

/** The previous, the current and the next window are asked for in turn. */
const WINDOWS_KEPT = 3;

const DAY_MS = 86_400_000;

/** No clock on Earth is or was further from UTC than this. */
const FURTHEST_MS = DAY_MS * (2 / 3);

/** What clocks show at an instant, to the second, as the instant at which they would show it in UTC. */
type LocalTime = (instant: EpochMs) => number;

function findWindow(
  { window, localTime }: { readonly window: CalendarWindowName; readonly localTime: LocalTime },
  now: EpochMs,
): FixedWindow {
  let date = firstDate(window, localTime(now));
  let opens = instantOf(date, localTime);
  for (;;) {
    date = nextDate(window, date);
    const resets = instantOf(date, localTime);
    if (resets > now) return Object.freeze({ opens, resets });
    opens = resets;
  }
}

/** The first date of the window that a local time lies in; dates are midnights in UTC. */
function firstDate(window: CalendarWindowName, local: number): number {
  const day = Math.floor(local / DAY_MS);
  switch (window) {
    case "daily":
      return day * DAY_MS;
    case "weekly": // 1970-01-01 was a Thursday.
      return (day - mod(day + 3, 7)) * DAY_MS;
    case "monthly": {
      const date = new Date(local);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    }
  }
}

function nextDate(window: CalendarWindowName, date: number): number {
  if (window === "daily") return date + DAY_MS;
  if (window === "weekly") return date + 7 * DAY_MS;
  const first = new Date(date);
  return Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
}

/** The first instant at which clocks show `midnight` or later. Clocks change at most once in the hours around it. */
function instantOf(midnight: number, localTime: LocalTime): EpochMs {
  const start = midnight - FURTHEST_MS;
  const end = midnight + FURTHEST_MS;
  const before = localTime(start) - start;
  const after = localTime(end) - end;
  if (before === after) return midnight - before;
  const change = changeBetween({ start, end }, (instant) => localTime(instant) - instant === before);
  if (midnight - before < change) return midnight - before;
  return Math.max(change, midnight - after);
}

/** The first whole second at which `unchanged` is false; clocks change on whole seconds. */
function changeBetween(
  range: { readonly start: EpochMs; readonly end: EpochMs },
  unchanged: (instant: EpochMs) => boolean,
): EpochMs {
  let last = range.start / 1000;
  let first = range.end / 1000;
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (unchanged(middle * 1000)) last = middle;
    else first = middle;
  }
  return first * 1000;
}

function localTimeIn(zone: string): LocalTime {
  const format = new Intl.DateTimeFormat("en-US-u-ca-iso8601-nu-latn", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const shown = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
    return Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
  };
}

/** An offset such as `+09:00` is no zone: it knows no summer time, and not every engine takes it. */
function isZone(zone: string): boolean {
  if (!/^[a-z]/i.test(zone)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function mod(a: number, b: number): number {
  return ((a % b) + b) % b;
}
