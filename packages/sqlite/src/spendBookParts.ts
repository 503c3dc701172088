import type { BudgetPeriods } from "./budgetPeriods.js";
import type { BudgetRows } from "./budgetRows.js";
import type { GroupCommit } from "./groupCommit.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import type { PendingBudgets } from "./pendingBudgets.js";
import type { SpendEntries } from "./spendEntries.js";

/** What a ledger and the budgets beside it share. */
export interface SpendBookParts {
  readonly db: QuotaDatabase;
  readonly rows: BudgetRows;
  readonly entries: SpendEntries;
  readonly periods: BudgetPeriods;
  readonly held: PendingBudgets;
  /** Where jobs wait to be done together; each view has its own, and closes it. A job that throws a StoreError is refused alone, and must have changed nothing by halves. */
  writesOf(what: string): GroupCommit<() => unknown, unknown>;
}
