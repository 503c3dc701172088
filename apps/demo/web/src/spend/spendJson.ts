/** What was spent in a range of time, in groups, as `GET /api/spend` shows it. Amounts are exact decimals of US dollars, as text. */
export interface SpendJson {
  readonly groupBy: SpendGrouping;
  readonly from: string;
  readonly to: string;
  readonly generatedAt: string;
  readonly total: SpendAmounts;
  /** Largest first; days in the order of time. */
  readonly groups: readonly SpendGroupJson[];
}

export type SpendGrouping = "key" | "team" | "model" | "day";

export interface SpendAmounts {
  /** In the ledger. */
  readonly costUsd: string;
  /** Besides, waiting in the queue to be written to the ledger; null: of a group like this that cannot be told. */
  readonly hotUsd: string | null;
  readonly requests: number;
  /** Of them, those whose model has no price: they are in no amount. */
  readonly unpriced: number;
}

export interface SpendGroupJson extends SpendAmounts {
  /** An id, a model, or a UTC day such as `2026-03-01`; null: what has none. */
  readonly group: string | null;
}
