import { WINDOW_MS, WINDOWS } from "../window.js";

const DAY_MS = 86_400_000;
/** Providers round: 299 minutes and 10 079 have been seen. */
const TOLERANCE = 0.02;

/** A window by its name, and how long it is at most. */
export interface KnownWindow {
  readonly window: string;
  readonly lengthMs: number;
}

/**
 * The window of about this length: one of `WINDOWS` if it is within 2 % of it (or 28 to 31 days long), else a window of its
 * own, named for its length (`"1m"`, `"12h"`, `"3d"`).
 */
export function windowOfLength(lengthMs: number): KnownWindow {
  if (lengthMs >= 28 * DAY_MS && lengthMs <= 31 * DAY_MS) return { window: "monthly", lengthMs: 31 * DAY_MS };
  for (const window of WINDOWS)
    if (Math.abs(lengthMs - WINDOW_MS[window]) <= WINDOW_MS[window] * TOLERANCE)
      return { window, lengthMs: WINDOW_MS[window] };
  return { window: nameOf(lengthMs), lengthMs };
}

function nameOf(lengthMs: number): string {
  if (lengthMs % DAY_MS === 0) return `${lengthMs / DAY_MS}d`;
  if (lengthMs % 3_600_000 === 0) return `${lengthMs / 3_600_000}h`;
  return `${Math.round(lengthMs / 60_000)}m`;
}
