import { usdText, type BudgetRefused, type EpochMs, type Unavailable } from "@quota/core";
import type { BuiltAnswer } from "./buildProblem.js";
import { buildRefusal, type Refusal } from "./buildRefusal.js";
import { refusalAnswer } from "./refusalAnswer.js";
import { refusalCode } from "./refusalCode.js";
import { moment } from "./refusalMessage.js";
import { waitAdvice } from "./retryAdvice.js";

/** {@link Refusal} by a budget. */
export interface BudgetRefusal extends Omit<Refusal, "decision"> {
  readonly decision: BudgetRefused | Unavailable;
  /** What the request asked for; a budget that refuses what has no price names it. */
  readonly model?: string | undefined;
}

/**
 * {@link buildRefusal} for budgets: 429 with `budget_exceeded` until the period ends, or with `budget_unpriced`; 503 where the ledger failed (budgets
 * fail closed). What no period has room for gets no `retry-after`, and `x-should-retry: false`.
 *
 * The message says whose budget it is, without an id. What was spent is said of a key's own budget alone: of another's it would tell what the others do.
 */
export function buildBudgetRefusal(
  { decision, dialect, requestId, jitter = 0, model }: BudgetRefusal,
  now: EpochMs,
): BuiltAnswer {
  if (decision.status === "unavailable") return buildRefusal({ decision, dialect, requestId }, now);
  const advice = waitAdvice({ opensAt: decision.retryAt, jitter }, now);
  return refusalAnswer(
    {
      dialect,
      requestId,
      code: refusalCode(decision.reason),
      message: messageOf(decision, model, now),
      advice,
      headers: advice.headers,
      violated: [`${decision.standing.budget.period}-usd`],
    },
    now,
  );
}

function messageOf(decision: BudgetRefused, model: string | undefined, now: EpochMs): string {
  const { reason, standing, estimate, retryAt } = decision;
  const { subject, budget, spent, pending } = standing;
  const whose = `${subject.kind} budget`;
  if (reason === "budget-unpriced" || estimate === "unpriced")
    return `${whose}: ${model === undefined ? "this model" : shortened(model)} has no price, and this budget lets only pass what has one; give the model a price, or choose another`;
  const limit = `${usdText(budget.limit)} USD ${PERIOD_WORDS[budget.period]}`;
  const need = `this request needs ${usdText(estimate)}`;
  if (estimate > budget.limit)
    return `${whose}: ${need} USD, more than the whole budget (${limit}); make it smaller`;
  const used =
    subject.kind === "key"
      ? `${usdText(spent + pending)} of ${limit} used`
      : `${limit}, used or held by requests under way`;
  return `${whose}: ${used}, and ${need}${retryAt === undefined ? "" : `; opens ${moment(retryAt, now)}`}`;
}

/** A model's name comes from the client. */
function shortened(model: string): string {
  return JSON.stringify(model.length > LONGEST_NAME ? `${model.slice(0, LONGEST_NAME)}…` : model);
}

const LONGEST_NAME = 80;

const PERIOD_WORDS = { day: "a day", week: "a week", month: "a month", once: "in all" } as const;
