import type { Budget } from "./budget.js";
import { budgetSpan } from "./budgetSpan.js";
import type { EpochMs } from "./units.js";

/** When the period of a budget opens that requests of this moment belong to; undefined before the first. */
export function periodOpens(budget: Budget, startedAt: EpochMs): EpochMs | undefined {
  const { opens } = budgetSpan(budget, startedAt);
  return opens > startedAt ? undefined : opens;
}
