import { calendarAnchor, type Anchor } from "./anchor.js";
import type { FixedWindow } from "./calendarWindow.js";
import type { EpochMs } from "./units.js";
import { WINDOW_MS, type WindowName } from "./window.js";

/**
 * The fixed window that `now` lies in; where the anchor is the first use, the window that opens if this is it.
 *
 * @throws {TypeError} for a calendar that nobody knows, or has no such window; what `parseDimensions` has passed is neither.
 * @example
 * fixedWindowAt({ window: "5h", anchor: "epoch" }, 20_000_000); // { opens: 18_000_000, resets: 36_000_000 }
 */
export function fixedWindowAt(
  { window, anchor }: { readonly window: WindowName; readonly anchor: Anchor },
  now: EpochMs,
): FixedWindow {
  const lengthMs = WINDOW_MS[window];
  if (anchor === "first-use") return { opens: now, resets: now + lengthMs };
  if (anchor === "epoch") {
    const opens = Math.floor(now / lengthMs) * lengthMs;
    return { opens, resets: opens + lengthMs };
  }
  const windows = anchor.windows ?? calendarAnchor(anchor.calendar)?.windows;
  if (windows === undefined || window === "hourly" || window === "5h")
    throw new TypeError(`There is no calendar of ${anchor.calendar} with ${window} windows.`);
  return windows(window, now);
}
