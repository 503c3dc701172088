/** The paths of the fields that a budget's part of a form shows. */
export const BUDGET_PATHS: readonly string[] = [
  "budget.limitUsd",
  "budget.period",
  "budget.timeZone",
  "budget.whenUnpriced",
];
