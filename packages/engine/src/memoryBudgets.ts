import {
  budgetSpan,
  checkBudget,
  SUBJECT_KINDS,
  subjectName,
  type Budget,
  type BudgetSpan,
  type BudgetStanding,
  type EpochMs,
  type SpendSubject,
} from "@quota/core";
import type { BudgetLedger } from "./budgetLedger.js";
import { refuseUncountable } from "./refuseUncountable.js";
import type { SpendEntry } from "./spendGroups.js";

/** What one request holds, or what it cost where its event is still to come. */
export interface PendingRow {
  readonly subjects: readonly SpendSubject[];
  readonly startedAt: EpochMs;
  readonly amount: bigint;
  readonly leaseEnd: EpochMs | "answered";
}

/** The part of the memory books that knows budgets; it shares the rows and the entries with the ledger. */
export function memoryBudgets(books: {
  readonly entries: () => Iterable<SpendEntry>;
  readonly pending: Map<string, PendingRow>;
  readonly isKnown: (requestId: string) => boolean;
}): BudgetLedger {
  const { entries, pending, isKnown } = books;
  const budgets = new Map<string, { readonly subject: SpendSubject; readonly budget: Budget }>();

  return {
    budgeted(subjects) {
      return subjects.filter((subject) => budgets.has(subjectName(subject)));
    },

    async list(now) {
      return [...budgets.values()].map(({ subject }) => standingOf(subject, now)!);
    },

    async standing(subject, now) {
      return standingOf(subject, now);
    },

    async set(subject, budget) {
      if (budget === undefined) budgets.delete(subjectName(subject));
      else budgets.set(subjectName(subject), { subject, budget });
    },

    async hold({ requestId, subjects, startedAt, estimate, leaseEnd }, now) {
      refuseUncountable({ amounts: { estimate }, moments: { startedAt, leaseEnd, now } });
      for (const [id, row] of pending) if (!isLive(row, now)) pending.delete(id);
      for (const kind of SUBJECT_KINDS)
        for (const subject of subjects.filter((each) => each.kind === kind)) {
          const standing = standingOf(subject, now);
          const decision = standing && checkBudget(standing, estimate);
          if (decision?.allowed === false) return decision;
        }
      const amount = estimate === "unpriced" ? 0n : BigInt(estimate);
      if (!isOver(requestId)) pending.set(requestId, { subjects, startedAt, amount, leaseEnd });
      return { status: "allowed", allowed: true };
    },

    async answer({ requestId, subjects, startedAt, cost }, now) {
      refuseUncountable({ amounts: { cost }, moments: { startedAt, now } });
      if (isOver(requestId)) return;
      const amount = cost === "unpriced" ? 0n : BigInt(cost);
      pending.set(requestId, { subjects, startedAt, amount, leaseEnd: "answered" });
    },

    async release(requestId) {
      if (!isOver(requestId)) pending.delete(requestId);
    },

    async renew(requestIds, leaseEnd) {
      refuseUncountable({ moments: { leaseEnd } });
      for (const requestId of requestIds) {
        const row = pending.get(requestId);
        if (row !== undefined && !isOver(requestId)) pending.set(requestId, { ...row, leaseEnd });
      }
    },

    async close() {
      // Whoever shares the books may go on.
    },
  };

  /** Answered, or in the ledger: nothing but its event changes it any more. */
  function isOver(requestId: string): boolean {
    return isKnown(requestId) || pending.get(requestId)?.leaseEnd === "answered";
  }

  function standingOf(asked: SpendSubject, now: EpochMs): BudgetStanding | undefined {
    const name = subjectName(asked);
    const found = budgets.get(name);
    if (found === undefined) return undefined;
    const span = budgetSpan(found.budget, now);
    const counts = ({ subjects, startedAt }: Pick<SpendEntry, "subjects" | "startedAt">): boolean =>
      subjects.some((each) => subjectName(each) === name) &&
      (startedAt === undefined || lies(startedAt, span));
    let spent = 0n;
    for (const entry of entries()) if (counts(entry)) spent += entry.cost;
    let held = 0n;
    for (const row of pending.values()) if (isLive(row, now) && counts(row)) held += row.amount;
    return { ...found, span, spent, pending: held };
  }
}

function isLive({ leaseEnd }: PendingRow, now: EpochMs): boolean {
  return leaseEnd === "answered" || leaseEnd > now;
}

function lies(at: EpochMs, { opens, ends }: BudgetSpan): boolean {
  return at >= opens && (ends === "never" || at < ends);
}
