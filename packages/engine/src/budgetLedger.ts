import type { Budget, BudgetDecision, BudgetStanding, EpochMs, NanoUsd, SpendSubject } from "@quota/core";
import type { Awaitable } from "./awaitable.js";

/**
 * Budgets and what is pending against them, in the ledger's own database: a hold is as durable as what was spent. A dollar is counted once at
 * any instant: in its pending row until the commit of its event, in the period's total from then on.
 *
 * `describeBudgetLedger` of @quota/conformance is this contract as tests.
 */
export interface BudgetLedger {
  /** Which of these subjects have a budget. On the path of every request: keep it at hand, and answer at once if you can. */
  budgeted(subjects: readonly SpendSubject[]): Awaitable<readonly SpendSubject[]>;
  /** Every budget as it stands, in the current periods. */
  list(now: EpochMs): Promise<readonly BudgetStanding[]>;
  /** One subject's; undefined where it has none. */
  standing(subject: SpendSubject, now: EpochMs): Promise<BudgetStanding | undefined>;
  /**
   * Gives a subject this budget, or none. What was spent, and what is pending, in the period that it makes the current one counts against it from the
   * start; what lies before does not.
   */
  set(subject: SpendSubject, budget: Budget | undefined, now: EpochMs): Promise<void>;
  /**
   * Asks the budgets of these subjects, in the order of `SUBJECT_KINDS`, and holds the estimate against all of them if they let it pass; one
   * transaction. The first that refuses answers, and nothing is held then. Rows whose lease has ended count no more.
   *
   * @throws {InvalidInputError} for an amount or a moment that is no whole number from 0 to 2^53 − 1, naming it: so do `answer` and `renew`. Nobody
   * who asks at the same time is refused with it.
   * @throws {StoreError} when a needed amount cannot be read or the hold not be written: the edge answers 503.
   */
  hold(asked: BudgetHold, now: EpochMs): Promise<BudgetDecision>;
  /**
   * The request was answered, and cost this: the row is corrected, expires no more, and stays until the commit of its event. Where the lease had ended it
   * is written anew. Only the first answer of a request counts; nothing happens where its event is in the ledger already.
   */
  answer(
    answered: Omit<BudgetHold, "leaseEnd" | "estimate"> & { readonly cost: NanoUsd | "unpriced" },
    now: EpochMs,
  ): Promise<void>;
  /** The request was not sent, or costs nothing: its row goes, if it was not answered. */
  release(requestId: string): Promise<void>;
  /** What is still under way goes on holding. */
  renew(requestIds: readonly string[], leaseEnd: EpochMs): Promise<void>;
  close(): Promise<void>;
}

export interface BudgetHold {
  readonly requestId: string;
  /** Those that have a budget decide; all are kept, since one may get a budget while the request is under way. */
  readonly subjects: readonly SpendSubject[];
  /** When it was admitted: the period that it belongs to. */
  readonly startedAt: EpochMs;
  readonly estimate: NanoUsd | "unpriced";
  /** Unless it is answered or renewed before, the row counts no more from this moment on. */
  readonly leaseEnd: EpochMs;
}
