import { quarterFrom, quarterOf, type EpochMs } from "@quota/core";
import type { SpendAsked } from "./spendLedger.js";

export const DAY_MS = 86_400_000;

/** The days and quarters of an hour (UTC) that make up what is asked for, for ledgers that keep sums by both. */
export interface SpendSpans {
  /** From the first whole day to the end of the last; both are `to` where there is none. */
  readonly firstDay: EpochMs;
  readonly afterLastDay: EpochMs;
  /** When the first whole quarter opens; `to` where there is none. */
  readonly firstQuarter: EpochMs;
  /** The end of the quarter that `to` lies in, if that opens within what is asked for; else `to`. */
  readonly cutTo: EpochMs;
}

/**
 * Whole days are taken from the sums of days, what is left at both ends from those of quarters, and parts of a quarter from the events themselves.
 *
 * @example
 * spendSpans({ from: Date.UTC(2026, 1, 1, 6), to: Date.UTC(2026, 1, 4) }).firstDay; // Date.UTC(2026, 1, 2)
 */
export function spendSpans({ from, to }: Pick<SpendAsked, "from" | "to">): SpendSpans {
  const firstDay = Math.ceil(from / DAY_MS) * DAY_MS;
  const afterLastDay = Math.floor(to / DAY_MS) * DAY_MS;
  const hasDays = firstDay < afterLastDay;
  return {
    firstDay: hasDays ? firstDay : to,
    afterLastDay: hasDays ? afterLastDay : to,
    firstQuarter: Math.min(quarterFrom(from), to),
    cutTo: quarterOf(to) >= from ? quarterFrom(to) : to,
  };
}

/** A day by its number since 1970, as groups are called: `2026-03-01`. */
export function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
