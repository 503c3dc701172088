import type { Budget } from "./budget.js";

/** Whether two budgets count the same requests together, so that what was counted for one holds for the other: their periods open and end alike. */
export function isSamePeriod(a: Budget, b: Budget): boolean {
  return a.period === b.period && (a.period === "once" ? a.since === b.since : a.timeZone === b.timeZone);
}
