import type { EpochMs, SpendEvent, SpendSubject } from "@quota/core";
import type { DamagedSpend } from "./spendQueue.js";

/**
 * The durable record of what was spent: the truth. It knows each request id once, for ever.
 *
 * `describeSpendLedger` of @quota/conformance is this contract as tests.
 */
export interface SpendLedger {
  /**
   * Writes events, all or none, in one transaction: those whose request id is new are added and raise the totals of their subjects and of the
   * periods of their budgets, and what was pending for them is taken away; the others change nothing but that.
   *
   * @throws {StoreError} when it could not be written. `applied: "unknown"` may be answered by committing the same again.
   */
  commit(
    events: readonly SpendEvent[],
    now: EpochMs,
  ): Promise<{ readonly added: number; readonly known: number }>;
  /** Everything a subject ever spent, in nano-dollars. */
  total(subject: SpendSubject): Promise<bigint>;
  /** What was spent by requests that ended in `[from, to)`, in groups, largest first; groups of days in the order of time. */
  spend(asked: SpendAsked): Promise<readonly SpendGroup[]>;
  /** Keeps a damaged item of a queue with the reason; the same position once. */
  keepDeadLetter(letter: DamagedSpend, now: EpochMs): Promise<void>;
  /** Newest first. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /**
   * Marks what became of one; whether it was there and open. No event is to come for its request any more: what is pending for that goes in the same
   * transaction, where the letter names it.
   */
  closeDeadLetter(id: string, as: "retried" | "kept-aside", now: EpochMs): Promise<boolean>;
  /** Drops the details of events that ended before this moment; how many. Totals, groups and known ids stay. */
  purge(before: EpochMs): Promise<number>;
  close(): Promise<void>;
}

export interface SpendAsked {
  readonly groupBy: SpendGrouping;
  /** A whole quarter of an hour in UTC, as every zone's midnight is; so is `to`. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Only what one subject spent. */
  readonly of?: SpendSubject | undefined;
}

/** `day`: UTC days. */
export type SpendGrouping = "key" | "team" | "user" | "organisation" | "project" | "model" | "day";

export interface SpendGroup {
  /** The id, the model, or the day as `2026-03-01`; undefined for events that have none. */
  readonly group: string | undefined;
  readonly cost: bigint;
  readonly requests: number;
  /** Of them, those whose model has no price: their cost is not in `cost`. */
  readonly unpriced: number;
  readonly tokens: { readonly input: number; readonly cachedInput: number; readonly output: number };
}

export interface DeadLetter {
  readonly id: string;
  readonly raw: string;
  readonly why: string;
  readonly requestId?: string | undefined;
  readonly keptAt: EpochMs;
  readonly state: "open" | "retried" | "kept-aside";
}
