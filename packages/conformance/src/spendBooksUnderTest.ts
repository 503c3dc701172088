import type { BudgetLedger, SpendLedger } from "@quota/engine";

/** A ledger and the budgets in its database. */
export interface SpendBooks {
  readonly ledger: SpendLedger;
  readonly budgets: BudgetLedger;
}

/** Books in which nothing is written yet. Made anew for every check. */
export interface SpendBooksUnderTest extends SpendBooks {
  /** Opens a second handle on the same data, as another process would. Leave it out where there is none. */
  readonly another?: () => Promise<SpendBooks>;
  /** Takes away what was opened, second handles too. */
  readonly dispose: () => Promise<void>;
}
