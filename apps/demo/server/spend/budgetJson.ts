import { usdText, type BudgetStanding } from "@quota/core";

/** A budget with its numbers in the current period, in US dollars as exact decimal text. */
export interface BudgetJson {
  readonly limitUsd: string;
  readonly period: BudgetStanding["budget"]["period"];
  readonly timeZone: string;
  /** Of a budget once and for all: from when on it counts. */
  readonly since: string | null;
  readonly whenUnpriced: BudgetStanding["budget"]["whenUnpriced"];
  readonly opensAt: string;
  /** Null: never. */
  readonly endsAt: string | null;
  /** In the ledger. */
  readonly spentUsd: string;
  /** What requests under way may cost at most, and what was answered and is not in the ledger yet. */
  readonly pendingUsd: string;
  /** Below zero where more was spent than planned. */
  readonly leftUsd: string;
}

export function budgetJson({ budget, span, spent, pending }: BudgetStanding): BudgetJson {
  const { limit, period, timeZone, since, whenUnpriced } = budget;
  return {
    limitUsd: usdText(limit),
    period,
    timeZone,
    since: period === "once" ? dateText(since) : null,
    whenUnpriced,
    opensAt: dateText(span.opens),
    endsAt: span.ends === "never" ? null : dateText(span.ends),
    spentUsd: usdText(spent),
    pendingUsd: usdText(pending),
    leftUsd: usdText(BigInt(limit) - spent - pending),
  };
}

function dateText(at: number): string {
  return new Date(at).toISOString();
}
