import type { Affinity, BudgetLedger, LiveState, SpendLedger, SpendQueue } from "@quota/engine";

/** Where money, and what gateways tell each other of connections, is kept. */
export interface SpendStores {
  readonly queue: SpendQueue;
  readonly ledger: SpendLedger;
  readonly budgets: BudgetLedger;
  readonly live: LiveState;
  readonly affinity: Affinity;
}
