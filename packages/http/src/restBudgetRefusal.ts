import { budgetSpec, usdText, type BudgetRefused, type BudgetSpec, type EpochMs } from "@quota/core";

/**
 * A refusal by a budget for the REST API, for who administers: it names the payer and the numbers, in dollars as exact decimal text. It has no
 * dimensions, as a decision has them: no pool was asked.
 */
export function budgetRefusalJson({ reason, standing, estimate, retryAt }: BudgetRefused): BudgetRefusalJson {
  const { subject, budget, span, spent, pending } = standing;
  return {
    status: "refused",
    allowed: false,
    reason,
    budget: {
      subject: { kind: subject.kind, id: subject.id },
      ...budgetSpec(budget),
      opens: span.opens,
      ends: span.ends,
      spentUsd: usdText(spent),
      pendingUsd: usdText(pending),
    },
    estimateUsd: estimate === "unpriced" ? estimate : usdText(estimate),
    ...(retryAt !== undefined && { retryAt }),
    dimensions: [],
  };
}

/** What {@link budgetRefusalJson} makes. */
export interface BudgetRefusalJson {
  readonly status: "refused";
  readonly allowed: false;
  readonly reason: BudgetRefused["reason"];
  readonly budget: BudgetSpec & {
    readonly subject: { readonly kind: string; readonly id: string };
    readonly opens: EpochMs;
    readonly ends: EpochMs | "never";
    readonly spentUsd: string;
    readonly pendingUsd: string;
  };
  readonly estimateUsd: string;
  readonly retryAt?: EpochMs;
  readonly dimensions: readonly [];
}
