import type { EpochMs } from "./units.js";

/**
 * How what is held for an idle key shrinks over its window.
 * - `"pace"`: 1 − x² of its share at the part x of the window. Whoever has used x² of his share by then loses nothing.
 * - `hold κ`: all of it until 1/κ of the window is left, and then in a straight line: min(1, κ (1 − x)).
 */
export type ReserveCurve = "pace" | { readonly hold: number };

/** Holding longer than this is holding until {@link LAST_PART}. */
export const HIGHEST_HOLD = 1000;

/** From this part of a window on nothing is held for anybody: who has not come by then hardly will, and what is left is wasted. */
export const LAST_PART = 0.98;

/**
 * The part of an idle key's share that is held for it when this much of the window has passed.
 *
 * @param elapsed the part of the window that has passed, 0 to 1.
 * @returns 0 to 1; it never rises.
 * @example
 * reservedPart("pace", 0.5); // 0.75: a quarter of it may be lent by half-time
 * reservedPart({ hold: 2 }, 0.75); // 0.5
 */
export function reservedPart(curve: ReserveCurve, elapsed: number): number {
  return partOf(curve, Math.max(0, elapsed), 1 - elapsed);
}

/** {@link reservedPart} at a moment of a window, as exactly as whole milliseconds can say it. */
export function reservedPartAt(
  curve: ReserveCurve,
  { opens, resets }: { readonly opens: EpochMs; readonly resets: EpochMs },
  now: EpochMs,
): number {
  const lengthMs = resets - opens;
  return partOf(curve, Math.max(0, now - opens) / lengthMs, (resets - now) / lengthMs);
}

/** Each form is one that never rises where its argument is rounded, either. */
function partOf(curve: ReserveCurve, elapsed: number, remaining: number): number {
  if (elapsed >= LAST_PART) return 0;
  return curve === "pace" ? 1 - elapsed * elapsed : Math.min(1, curve.hold * remaining);
}
