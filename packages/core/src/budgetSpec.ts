import type { Budget } from "./budget.js";
import type { BudgetSpec } from "./parseBudget.js";

/**
 * A budget as people write it, with what was left out; `parseBudget` makes the same budget of it again, at any time.
 *
 * @example
 * budgetSpec(budget); // { limitUsd: 20, period: "month", timeZone: "Europe/Paris", whenUnpriced: "allow" }
 */
export function budgetSpec({ limit, period, timeZone, since, whenUnpriced }: Budget): BudgetSpec {
  return {
    limitUsd: limit / 1e9,
    period,
    timeZone,
    ...(period === "once" && { since }),
    whenUnpriced,
  };
}
