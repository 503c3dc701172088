import {
  checkBudget,
  SUBJECT_KINDS,
  subjectName,
  type BudgetDecision,
  type EpochMs,
  type NanoUsd,
} from "@quota/core";
import { StoreError, type BudgetHold } from "@quota/engine";
import type { BudgetRows } from "./budgetRows.js";
import { budgetSums, readPeriods, type BudgetSums } from "./budgetSums.js";
import type { PostgresDatabase } from "./openPostgres.js";
import { lockPending, SWEPT_AT_ONCE, writePending, type PendingRow, type TakenRows } from "./pendingRows.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { COMMITS_OUT, LEDGER_OPEN } from "./spendLocks.js";
import { storedText, textStored } from "./storedText.js";

/** One thing that is done to what a request holds. */
export type BudgetStep =
  | { readonly kind: "hold"; readonly asked: BudgetHold; readonly now: EpochMs }
  | { readonly kind: "answer"; readonly requestId: string; readonly row: PendingRow; readonly now: EpochMs }
  | { readonly kind: "release"; readonly requestId: string };

/** `"again"`: it would be refused for what others have left behind, of which some was still there. */
export type StepAnswer = BudgetDecision | "done" | "again" | StoreError;

/**
 * Takes steps in their order, in one transaction: locks the rows of their requests and what has expired, then the budgets of all whose money that
 * is, decides, and writes what has changed. Four round trips, however many steps.
 */
export async function takeBudgetSteps(
  { db, budgets: rows }: { readonly db: PostgresDatabase; readonly budgets: BudgetRows },
  steps: readonly BudgetStep[],
): Promise<readonly StepAnswer[]> {
  const ids = [
    ...new Set(steps.map((step) => (step.kind === "hold" ? step.asked.requestId : step.requestId))),
  ];
  const moments = steps.flatMap((step) => (step.kind === "release" ? [] : [step.now]));
  const now = moments.length === 0 ? 0 : Math.min(...moments);
  const attempt = async (begin: string, mayMakeAnew: boolean): Promise<readonly StepAnswer[] | undefined> =>
    await db.write(
      async (transaction) => {
        // One behind the other on the same connection; so below. What is known stays known.
        const [taken, known] = await Promise.all([
          lockPending(transaction, ids, now),
          knownIds(transaction, ids),
        ]);
        const isAnew = steps.some(
          (step) => step.kind === "answer" && !taken.asked.has(step.requestId) && !known.has(step.requestId),
        );
        if (isAnew && !mayMakeAnew) return undefined;
        const names = namesIn(steps, taken);
        // Periods are read after the locks are there.
        const [budgets, periods] = await Promise.all([
          rows.lock(transaction, names),
          readPeriods(transaction, names),
        ]);
        const model = modelOf({ taken, known, sums: budgetSums(budgets, periods) });
        const answers = steps.map((step) => {
          const damaged =
            step.kind === "hold"
              ? step.asked.subjects.map(subjectName).find((name) => budgets.get(name) === "damaged")
              : undefined;
          if (damaged === undefined) return model.take(step);
          const problem = `The budget stored for ${damaged} is damaged; store it again, or take it away.`;
          return new StoreError(problem, { applied: "no" });
        });
        await Promise.all([writePending(transaction, model.changes), model.sums.write(transaction)]);
        return answers;
      },
      { begin },
    );
  // Whether the event of an answer without a row is being entered just now is known once nobody enters any.
  return (await attempt(LEDGER_OPEN, false)) ?? (await attempt(COMMITS_OUT, true)) ?? [];
}

/** A row for what a request holds or cost. */
export function pendingRow(
  { subjects, startedAt }: Pick<BudgetHold, "subjects" | "startedAt">,
  amount: NanoUsd | "unpriced",
  leaseEnd: PendingRow["leaseEnd"],
): PendingRow {
  return {
    subjects: subjects.map(subjectName),
    startedAt,
    amount: amount === "unpriced" ? 0n : BigInt(amount),
    leaseEnd,
  };
}

function modelOf({
  taken,
  known,
  sums,
}: {
  readonly taken: TakenRows;
  readonly known: ReadonlySet<string>;
  readonly sums: BudgetSums;
}) {
  const changes = new Map<string, PendingRow | undefined>();
  const rowOf = (id: string): PendingRow | undefined =>
    changes.has(id) ? changes.get(id) : taken.asked.get(id);
  const put = (id: string, row: PendingRow | undefined): void => {
    const before = rowOf(id);
    if (before !== undefined) sums.raise(before.subjects, before.startedAt, { pending: -before.amount });
    if (row !== undefined) sums.raise(row.subjects, row.startedAt, { pending: row.amount });
    changes.set(id, row);
  };
  for (const [id, row] of taken.expired) {
    sums.raise(row.subjects, row.startedAt, { pending: -row.amount });
    changes.set(id, undefined);
  }
  const isMore = taken.expired.size === SWEPT_AT_ONCE;
  const isOver = (id: string): boolean => known.has(id) || rowOf(id)?.leaseEnd === "answered";

  return {
    sums,
    changes,
    take(step: BudgetStep): StepAnswer {
      if (step.kind === "hold") return hold(step.asked, step.now);
      const { requestId } = step;
      if (isOver(requestId)) return "done";
      if (step.kind === "answer") put(requestId, step.row);
      else if (rowOf(requestId) !== undefined) put(requestId, undefined);
      return "done";
    },
  };

  function hold(asked: BudgetHold, now: EpochMs): StepAnswer {
    const { requestId, subjects, estimate, leaseEnd } = asked;
    // What a request of the same id held, and what has expired by this moment though not by that of its neighbours, is none of its obstacles.
    const before = rowOf(requestId);
    if (before !== undefined && before.leaseEnd !== "answered" && before.leaseEnd <= now)
      put(requestId, undefined);
    for (const kind of SUBJECT_KINDS)
      for (const subject of subjects.filter((each) => each.kind === kind)) {
        const standing = sums.standing(subjectName(subject), now);
        const decision = standing && checkBudget(standing, estimate);
        if (decision?.allowed === false) return isMore ? "again" : decision;
      }
    if (!isOver(requestId)) put(requestId, pendingRow(asked, estimate, leaseEnd));
    return { status: "allowed", allowed: true };
  }
}

function namesIn(steps: readonly BudgetStep[], taken: TakenRows): readonly string[] {
  const names = new Set<string>();
  for (const step of steps) {
    if (step.kind === "hold") for (const subject of step.asked.subjects) names.add(subjectName(subject));
    if (step.kind === "answer") for (const name of step.row.subjects) names.add(name);
  }
  for (const rows of [taken.asked, taken.expired])
    for (const { subjects } of rows.values()) for (const name of subjects) names.add(name);
  return [...names];
}

async function knownIds({ rows }: PostgresTransaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await rows<{ request_id: string }>(
    "SELECT request_id FROM spend_ids WHERE request_id = ANY($1::text[])",
    [ids.map(storedText)],
  );
  return new Set(found.map(({ request_id }) => textStored(request_id)));
}
