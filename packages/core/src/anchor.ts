import { calendarWindows, type CalendarWindows } from "./calendarWindow.js";
import type { WindowName } from "./window.js";

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
   * The zone's last windows, kept since finding one takes a formatter, which is dear. Hidden from whoever lists or compares
   * members; a copy that has lost it gives the same windows, slowly.
   */
  readonly windows?: CalendarWindows;
}

/** The windows that a calendar has: an hour is the same in every zone but for its minutes, and no calendar has five hours. */
export const CALENDAR_WINDOWS = ["daily", "weekly", "monthly"] as const satisfies readonly WindowName[];

/** The anchor for the calendar of this time zone; undefined where nobody knows the zone. */
export function calendarAnchor(zone: string): CalendarAnchor | undefined {
  const windows = calendarWindows(zone);
  if (windows === undefined) return undefined;
  return Object.freeze(Object.defineProperty({ calendar: zone }, "windows", { value: windows }));
}
