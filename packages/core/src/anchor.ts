import { calendarWindows, type CalendarWindows } from "./calendarWindow.js";
import type { Parsed } from "./fault.js";
import { isRecord } from "./isRecord.js";

/**
 * Where a fixed window starts.
 * - `epoch`: on multiples of its length since 1970-01-01T00:00Z.
 * - `first-use`: when it is first used, and again with the first use after it has run out.
 * - a calendar: daily is a day, weekly an ISO week (from Monday), monthly a month, as clocks in that time zone show them.
 */
export type Anchor = "epoch" | "first-use" | CalendarAnchor;

/** The calendar of a time zone, by its IANA name, such as `Asia/Tokyo`. */
export interface CalendarAnchor {
  readonly calendar: string;
  /**
   * Finds the zone's windows, and keeps the last ones, since finding one is dear. Not enumerable: hidden from whoever lists,
   * compares or writes members. A copy that has lost it has the same windows, slowly.
   */
  readonly windows?: CalendarWindows;
}

/** Parses a dimension's anchor; undefined is none. Faults name the `path` they are at. */
export function parseAnchor(
  input: unknown,
  { window, path }: { readonly window: unknown; readonly path: string },
): Parsed<Anchor | undefined> {
  const refuse = (member: string, code: string, text: string): Parsed<never> => {
    const where = `${path}${member}`;
    return { ok: false, faults: [{ path: where, code, message: `${where} ${text}` }] };
  };
  if (input === undefined || input === "epoch" || input === "first-use") return { ok: true, value: input };
  if (!isRecord(input) || typeof input["calendar"] !== "string")
    return refuse(
      "",
      "unknown-anchor",
      'must be "epoch", "first-use" or { calendar: a time zone such as "Europe/Paris" }; leave it out for a rolling window.',
    );
  if (window === "hourly" || window === "5h")
    return refuse(
      "",
      "anchor-without-calendar",
      `names a calendar, and calendars have no ${window} windows; take "epoch" or "first-use", or a window that is daily, weekly or monthly.`,
    );
  const zone = input["calendar"];
  const value = calendarAnchor(zone);
  if (value !== undefined) return { ok: true, value };
  return refuse(
    ".calendar",
    "unknown-time-zone",
    `names a time zone that is not known here, ${JSON.stringify(zone.slice(0, LONGEST_SHOWN))}; write one such as "Europe/Paris" or "UTC".`,
  );
}

/** The anchor for the calendar of this time zone; undefined where nobody knows the zone. */
export function calendarAnchor(zone: string): CalendarAnchor | undefined {
  const windows = calendarWindows(zone);
  if (windows === undefined) return undefined;
  return Object.freeze(Object.defineProperty({ calendar: zone }, "windows", { value: windows }));
}

/** How much of a name that is no zone a message repeats. */
const LONGEST_SHOWN = 64;
