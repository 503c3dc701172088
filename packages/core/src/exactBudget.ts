import type { Budget } from "./budget.js";
import type { Parsed } from "./fault.js";
import { isRecord } from "./isRecord.js";
import { parseBudget } from "./parseBudget.js";

/**
 * Reads a budget by its own members, with the calendar of its zone at hand. The limit is whole nano-dollars here: those that no number of dollars
 * says exactly are kept, too. For stores, which keep a budget as it is.
 *
 * @example
 * exactBudget(JSON.parse(JSON.stringify(budget))); // { ok: true, … }
 */
export function exactBudget(input: unknown): Parsed<Budget> {
  const { limit, period, timeZone, since, whenUnpriced } = isRecord(input) ? input : {};
  const isLimit = Number.isSafeInteger(limit) && (limit as number) >= 0;
  const parsed = parseBudget(
    // Said in whole nano-dollars, the limit is judged here; dollars are judged there.
    { limitUsd: 0, period, timeZone, whenUnpriced, ...(period === "once" && { since }) },
    0,
  );
  if (!parsed.ok || !isLimit)
    return {
      ok: false,
      faults: [
        ...(isLimit
          ? []
          : [{ path: "limit", code: "not-a-whole-number", message: "limit must be whole nano-dollars." }]),
        ...(parsed.ok ? [] : parsed.faults),
      ],
    };
  const { windows, ...terms } = parsed.value;
  const budget: Budget = { ...terms, limit: limit as number };
  return { ok: true, value: Object.freeze(Object.defineProperty(budget, "windows", { value: windows })) };
}
