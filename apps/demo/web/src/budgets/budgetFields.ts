import type { BudgetJson, BudgetPeriodJson } from "../api/budgetJson.js";
import { parseDollars } from "./parseDollars.js";

/** What a form has of a budget, as it is typed. */
export type BudgetFields = Readonly<
  Record<"budgetUsd" | "budgetPeriod" | "budgetSince" | "budgetZone" | "budgetUnpriced", string>
>;

/** What may have a budget, as a form needs it. */
export interface Budgeted {
  readonly budget: BudgetJson | null;
}

/** A budget as it is typed. Of none the fields have what a new one begins with. */
export function budgetFields({ budget }: Budgeted): BudgetFields {
  return {
    budgetUsd: budget === null ? "none" : budget.limitUsd,
    budgetPeriod: budget?.period ?? ("month" satisfies BudgetPeriodJson),
    // Nobody types it, but who goes over somebody else's budget must not begin it anew.
    budgetSince: budget?.since ?? "",
    budgetZone: budget?.timeZone ?? "UTC",
    budgetUnpriced: budget?.whenUnpriced ?? ("allow" satisfies BudgetJson["whenUnpriced"]),
  };
}

/** What is asked for: the whole budget, where it is not as it was; `null` takes it away. */
export function budgetChange(typed: BudgetFields, before: BudgetFields): { readonly budget?: unknown } {
  const limitUsd = parseDollars(typed.budgetUsd);
  const had = parseDollars(before.budgetUsd);
  if (limitUsd === null) return had === null ? {} : { budget: null };
  const isSame =
    limitUsd === had &&
    (["budgetPeriod", "budgetZone", "budgetUnpriced"] as const).every((name) => typed[name] === before[name]);
  if (isSame) return {};
  const { budgetPeriod: period, budgetSince, budgetZone, budgetUnpriced: whenUnpriced } = typed;
  const timeZone = budgetZone.trim();
  return {
    budget: {
      limitUsd,
      period,
      ...(timeZone !== "" && { timeZone }),
      ...(period === "once" && budgetSince !== "" && { since: Date.parse(budgetSince) }),
      whenUnpriced,
    },
  };
}

/** Whether what is typed is a budget, or none. What else may be wrong with it the gateway knows. */
export function isBudget({ budgetUsd }: BudgetFields): boolean {
  return parseDollars(budgetUsd) !== undefined;
}
