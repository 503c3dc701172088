/** A budget as keys, teams and organisations have one, with its numbers in the current period. Amounts are exact decimals of US dollars, as text. */
export interface BudgetJson {
  readonly limitUsd: string;
  readonly period: BudgetPeriodJson;
  /** Whose days, weeks and months they are. */
  readonly timeZone: string;
  /** Of a budget once and for all: from when on it counts. */
  readonly since: string | null;
  /** What becomes of a request whose model has no price. */
  readonly whenUnpriced: "allow" | "refuse";
  readonly opensAt: string;
  /** Null: never. */
  readonly endsAt: string | null;
  /** In the ledger. */
  readonly spentUsd: string;
  /** What requests under way may cost at most, and what was answered and is not written to the ledger yet. */
  readonly pendingUsd: string;
  /** Below zero where more was spent than planned. */
  readonly leftUsd: string;
}

export type BudgetPeriodJson = "day" | "week" | "month" | "once";
