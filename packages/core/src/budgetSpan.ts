import type { Budget, BudgetSpan } from "./budget.js";
import { fixedWindowAt } from "./fixedWindow.js";
import type { EpochMs } from "./units.js";

/**
 * The period of a budget that a moment lies in: `opens` belongs to it, `ends` to the next. A day is 23 to 25 hours long where clocks are changed. A
 * moment before the `since` of a budget once and for all lies in none, and is answered the same.
 *
 * @throws {TypeError} for a time zone that nobody knows; `parseBudget` lets none pass.
 * @example
 * budgetSpan({ ...budget, period: "month", timeZone: "UTC" }, Date.UTC(2026, 1, 10)); // February
 */
export function budgetSpan({ period, timeZone, since, windows }: Budget, now: EpochMs): BudgetSpan {
  if (period === "once") return { opens: since, ends: "never" };
  const anchor = { calendar: timeZone, ...(windows !== undefined && { windows }) };
  const { opens, resets } = fixedWindowAt({ window: WINDOW_OF[period], anchor }, now);
  return { opens, ends: resets };
}

const WINDOW_OF = { day: "daily", week: "weekly", month: "monthly" } as const;
