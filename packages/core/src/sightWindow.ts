import type { FixedWindow } from "./calendarWindow.js";
import type { EpochMs } from "./units.js";

/** What was known of a window before a reading came in. */
export interface KnownWindow extends FixedWindow {
  /** How full the provider said it was, in any whole number of grains; 0 where it has not spoken of this window yet. */
  readonly seen: number;
}

/** What a reading says of the window, and that it stands where it does. */
export interface WindowSighting {
  /** How full, in the same grains. */
  readonly seen: number;
  /** Undefined where the provider does not say. */
  readonly resetsAt: EpochMs | undefined;
  readonly receivedAt: EpochMs;
}

/**
 * Which window a reading speaks of.
 * - `first`: none was known.
 * - `same`: the one that is known; readings that differ by seconds are one window.
 * - `moved`: the one that is known, but it ends elsewhere: it had not begun, or where it ends was guessed.
 * - `new`: another one: the provider has reset, by time, early, or with a change of plan.
 */
export interface SightedWindow extends FixedWindow {
  readonly kind: "first" | "same" | "moved" | "new";
}

/** Ends that differ by no more than this are one end: answers take seconds, and clocks differ. */
export const SAME_RESET_MS = 60_000;

/** A part of a hundredth less full: providers that round, or that ask another of their machines, say so. */
const JITTER = 0.01;

/**
 * A window that still ends where it did, and is as full as that part of what it was, or less, was emptied early, or is another plan's.
 * Falls short of that are answers that overtook each other, endpoints that repeat what they said minutes ago, and
 * percentages beside a refusal that called the window full.
 */
const EMPTIED = 0.5;

/**
 * Tells whether a reading speaks of the window that is known or of another.
 *
 * Counting starts again only for a window that the provider has really begun anew: its fullness has fallen (by half, where it says that
 * the end is the same), or it opens where the known one ends. An end that moves under a fullness that does not fall (a window that
 * slides, that starts with its first use, or that was guessed when the last one ended) is a correction: the count goes on.
 *
 * @param asked.full what `seen` is of a full window.
 */
export function sightWindow(asked: {
  readonly known: KnownWindow | undefined;
  readonly lengthMs: number;
  readonly full: number;
  readonly sighting: WindowSighting;
}): SightedWindow {
  const { known, lengthMs, full, sighting } = asked;
  const { seen, receivedAt } = sighting;
  const resets = sighting.resetsAt ?? known?.resets ?? receivedAt + lengthMs;
  const opens = resets - lengthMs;
  if (known === undefined) return { kind: "first", opens, resets };
  if (isSameEnd(resets, known)) {
    if (seen >= known.seen - full * JITTER) return { ...ends(known), kind: "same" };
    if (sighting.resetsAt === undefined)
      return { kind: "new", opens: receivedAt, resets: receivedAt + lengthMs };
    return { ...ends(known), kind: seen <= known.seen * EMPTIED ? "new" : "same" };
  }
  const begunAnew = seen < known.seen || opens >= known.resets - SAME_RESET_MS;
  return { kind: known.seen > 0 && begunAnew ? "new" : "moved", opens, resets };
}

/**
 * What was agreed on, once, stays: a window does not shift by the seconds in which its readings differ. But one that nothing has been seen of may
 * not have begun, and then its end moves with every second until it does.
 */
function isSameEnd(resets: EpochMs, known: KnownWindow): boolean {
  return known.seen === 0 ? resets === known.resets : Math.abs(resets - known.resets) <= SAME_RESET_MS;
}

function ends({ opens, resets }: FixedWindow): FixedWindow {
  return { opens, resets };
}
