import type { CalendarWindows } from "./calendarWindow.js";
import type { NanoUsd } from "./nanoUsd.js";
import type { SpendSubject } from "./spendSubject.js";
import type { EpochMs } from "./units.js";

/** How much a subject may spend in a period. */
export interface Budget {
  readonly limit: NanoUsd;
  readonly period: BudgetPeriod;
  /** Whose days, weeks (from Monday) and months they are: an IANA name. Of no meaning for `"once"`. */
  readonly timeZone: string;
  /** For `"once"`: what was spent by requests that started before does not count. Of no meaning for the other periods. */
  readonly since: EpochMs;
  /** What becomes of a request whose model has no price, so that nobody knows what it would take. */
  readonly whenUnpriced: "allow" | "refuse";
  /**
   * Finds the zone's days, weeks and months, and keeps the last ones, since finding one is dear. Not enumerable: hidden from whoever lists, compares
   * or writes members. A copy that has lost it has the same periods, slowly.
   */
  readonly windows?: CalendarWindows | undefined;
}

export type BudgetPeriod = "day" | "week" | "month" | "once";

/** The period of a budget that a moment lies in. */
export interface BudgetSpan {
  /** The budget's `since` for `"once"`. */
  readonly opens: EpochMs;
  /** When the next one begins; `"never"` for `"once"`. */
  readonly ends: EpochMs | "never";
}

/** A budget with its numbers in the current period. */
export interface BudgetStanding {
  readonly subject: SpendSubject;
  readonly budget: Budget;
  readonly span: BudgetSpan;
  /** Of this period, in the ledger. */
  readonly spent: bigint;
  /** Of this period: what requests under way hold, and what was answered and is not in the ledger yet. */
  readonly pending: bigint;
}

/** A request that a budget does not let pass. Nothing was held. */
export interface BudgetRefused {
  readonly status: "refused";
  readonly allowed: false;
  /** `budget-unpriced`: the model has no price, and the budget says to refuse then. */
  readonly reason: "budget-exceeded" | "budget-unpriced";
  readonly standing: BudgetStanding;
  readonly estimate: NanoUsd | "unpriced";
  /** When the period ends; undefined where no time helps: a budget once and for all, or less than this one request. */
  readonly retryAt?: EpochMs | undefined;
}

/** What budgets say to a request. */
export type BudgetDecision = { readonly status: "allowed"; readonly allowed: true } | BudgetRefused;
