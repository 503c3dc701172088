import {
  checkBudget,
  SUBJECT_KINDS,
  subjectName,
  type BudgetDecision,
  type BudgetStanding,
  type EpochMs,
  type NanoUsd,
  type SpendSubject,
} from "@quota/core";
import { StoreError, type BudgetHold } from "@quota/engine";
import type { BudgetPeriods, PeriodChange } from "./budgetPeriods.js";
import type { KeptBudget } from "./budgetRows.js";
import type { PendingRow, PendingSpend } from "./pendingSpend.js";

/** What requests hold, and what budgets add up of it. Each of these is whole by itself, within a transaction of the caller's. */
export interface PendingBudgets {
  /** @throws {StoreError} where a budget that is asked cannot be read; nothing is held then. */
  hold(asked: BudgetHold, now: EpochMs): BudgetDecision;
  answer(answered: Answered): void;
  release(requestId: string): void;
  renew(requestIds: readonly string[], leaseEnd: EpochMs): void;
  /** The events of these requests are in the ledger, or were given up, and nothing is pending for them any more. */
  settle(requestIds: readonly string[]): void;
  /** Takes out some of the rows whose lease has ended; whether there were any. */
  sweep(now: EpochMs): boolean;
  /** How a budget stands, without what has expired. */
  standing(kept: KeptBudget, now: EpochMs): BudgetStanding;
}

export type Answered = Omit<BudgetHold, "leaseEnd" | "estimate"> & { readonly cost: NanoUsd | "unpriced" };

interface PendingBudgetsParts {
  readonly pending: PendingSpend;
  readonly periods: BudgetPeriods;
  /** By the name of its subject. */
  readonly budgetOf: (name: string) => KeptBudget | "damaged" | undefined;
  /** Whether the event of a request is in the ledger. */
  readonly isKnown: (requestId: string) => boolean;
}

/** How many rows whose lease has ended one hold or commit takes out, so that nobody waits long for what others left. */
const SWEPT_AT_ONCE = 64;

export function pendingBudgets(parts: PendingBudgetsParts): PendingBudgets {
  const { pending, periods, budgetOf, isKnown } = parts;

  return {
    hold({ requestId, subjects, startedAt, estimate, leaseEnd }, now) {
      const asked = inOrder(subjects).flatMap((subject) => soundBudget(subject) ?? []);
      let more = sweep(now);
      let refused = firstRefusal(asked, { estimate, now });
      // Nobody is refused for what others have left behind, however much it is.
      while (refused !== undefined && more) {
        more = sweep(now);
        refused = firstRefusal(asked, { estimate, now });
      }
      if (refused !== undefined) return refused;
      if (!isKnown(requestId)) replace(requestId, { ...rowOf(subjects, startedAt, estimate), leaseEnd });
      return { status: "allowed", allowed: true };
    },

    answer({ requestId, subjects, startedAt, cost }) {
      if (isKnown(requestId)) return;
      replace(requestId, { ...rowOf(subjects, startedAt, cost), leaseEnd: "answered" });
    },

    release(requestId) {
      const row = pending.get(requestId);
      if (row === undefined || row.leaseEnd === "answered") return;
      pending.take(requestId);
      lower(row);
      periods.write();
    },

    renew(requestIds, leaseEnd) {
      for (const requestId of requestIds) pending.renew(requestId, leaseEnd);
    },

    settle(requestIds) {
      // Most events of a gateway without budgets have nothing pending.
      if (pending.isEmpty()) return;
      for (const requestId of requestIds) {
        const row = pending.take(requestId);
        if (row !== undefined) lower(row);
      }
      periods.write();
    },

    sweep,

    standing(kept, now) {
      const standing = periods.standing(kept, now);
      const name = subjectName(kept.subject);
      const { opens, ends } = standing.span;
      let gone = 0n;
      for (const { subjects, startedAt, amount } of pending.expired(now))
        if (subjects.includes(name) && startedAt >= opens && (ends === "never" || startedAt < ends))
          gone += amount;
      return gone === 0n ? standing : { ...standing, pending: standing.pending - gone };
    },
  };

  function sweep(now: EpochMs): boolean {
    const expired = pending.takeExpired(SWEPT_AT_ONCE, now);
    for (const row of expired) lower(row);
    if (expired.length > 0) periods.write();
    return expired.length > 0;
  }

  /** Puts a row in the place of what a request holds, unless it was answered. */
  function replace(requestId: string, row: PendingRow): void {
    const before = pending.get(requestId);
    if (before?.leaseEnd === "answered") return;
    if (before !== undefined) lower(before);
    pending.put(requestId, row);
    raise(row, { pending: row.amount });
    periods.write();
  }

  function lower(row: PendingRow): void {
    raise(row, { pending: -row.amount });
  }

  function raise({ subjects, startedAt }: PendingRow, by: PeriodChange): void {
    for (const name of subjects) {
      const kept = budgetOf(name);
      // What a damaged budget's periods are is not known; they are made anew when it is stored again.
      if (kept !== undefined && kept !== "damaged") periods.raise(kept, startedAt, by);
    }
  }

  function firstRefusal(
    asked: readonly KeptBudget[],
    { estimate, now }: { readonly estimate: NanoUsd | "unpriced"; readonly now: EpochMs },
  ): BudgetDecision | undefined {
    for (const kept of asked) {
      const decision = checkBudget(periods.standing(kept, now), estimate);
      if (!decision.allowed) return decision;
    }
    return undefined;
  }

  function soundBudget(subject: SpendSubject): KeptBudget | undefined {
    const kept = budgetOf(subjectName(subject));
    if (kept !== "damaged") return kept;
    throw new StoreError(
      `The budget stored for ${subjectName(subject)} is damaged; store it again, or take it away.`,
      { applied: "no" },
    );
  }
}

function inOrder(subjects: readonly SpendSubject[]): readonly SpendSubject[] {
  return SUBJECT_KINDS.flatMap((kind) => subjects.filter((each) => each.kind === kind));
}

function rowOf(
  subjects: readonly SpendSubject[],
  startedAt: EpochMs,
  cost: NanoUsd | "unpriced",
): Omit<PendingRow, "leaseEnd"> {
  return { subjects: subjects.map(subjectName), startedAt, amount: cost === "unpriced" ? 0n : BigInt(cost) };
}
