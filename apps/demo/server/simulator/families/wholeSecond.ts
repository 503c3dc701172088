import { epochSeconds } from "../accountView.js";

/** A moment as RFC 3339, rounded up to a second: `2026-09-17T13:00:00Z`. */
export function wholeSecond(moment: number): string {
  return new Date(epochSeconds(moment) * 1000).toISOString().replace(".000Z", "Z");
}
