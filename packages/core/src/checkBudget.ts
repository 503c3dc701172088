import type { BudgetDecision, BudgetStanding } from "./budget.js";
import type { NanoUsd } from "./nanoUsd.js";

/**
 * Whether a budget lets a request pass: the period's total + what is pending + this estimate ≤ budget. Equality passes, and a budget of 0 lets
 * only pass what costs nothing. What was spent above the budget by what earlier requests really took refuses everything that costs.
 *
 * @example
 * checkBudget({ subject, budget, span, spent: 90n, pending: 5n }, 5); // allowed, if budget.limit is 100
 */
export function checkBudget(standing: BudgetStanding, estimate: NanoUsd | "unpriced"): BudgetDecision {
  const { budget, span, spent, pending } = standing;
  const refused = { status: "refused", allowed: false, standing, estimate } as const;
  if (estimate === "unpriced" && budget.whenUnpriced === "refuse")
    return { ...refused, reason: "budget-unpriced" };
  const asked = estimate === "unpriced" ? 0 : estimate;
  if (asked === 0 || spent + pending + BigInt(asked) <= BigInt(budget.limit))
    return { status: "allowed", allowed: true };
  const helps = span.ends !== "never" && asked <= budget.limit;
  return { ...refused, reason: "budget-exceeded", ...(helps ? { retryAt: span.ends } : {}) };
}
