import {
  budgetSpan,
  isSamePeriod,
  subjectName,
  type Budget,
  type BudgetDecision,
  type BudgetStanding,
  type EpochMs,
} from "@quota/core";
import { InvalidInputError, refuseUncountable, StoreError, type BudgetLedger } from "@quota/engine";
import type { BudgetRows, KeptBudget } from "./budgetRows.js";
import { pendingRow, takeBudgetSteps, type BudgetStep, type StepAnswer } from "./budgetSteps.js";
import { inBatches } from "./inBatches.js";
import type { PostgresDatabase } from "./openPostgres.js";
import { rebuildPeriods } from "./rebuildPeriods.js";
import { budgetText, storedBudget } from "./storedBudget.js";
import { storedText, textStored } from "./storedText.js";

/** The budgets of `createPostgresSpendBooks`. */
export function postgresBudgetLedger(parts: {
  readonly db: PostgresDatabase;
  readonly budgets: BudgetRows;
}): BudgetLedger {
  const { db, budgets: rows } = parts;
  const { snapshot } = rows;
  const steps = inBatches<BudgetStep, StepAnswer>("budget ledger", (batch) => takeBudgetSteps(parts, batch));
  let isClosed = false;

  return {
    budgeted: (subjects) => subjects.filter((subject) => snapshot.get(subjectName(subject)) !== undefined),

    async list(now) {
      refuseWhenClosed();
      const kept = [...(await snapshot.latest()).values()].filter((each) => each !== "damaged");
      return await standingsOf(kept, now);
    },

    async standing(subject, now) {
      refuseWhenClosed();
      const kept = (await snapshot.latest()).get(subjectName(subject));
      if (kept === undefined) return undefined;
      if (kept === "damaged")
        throw new StoreError(
          `The budget stored for ${subjectName(subject)} is damaged; store it again, or take it away.`,
          { applied: "no" },
        );
      return (await standingsOf([kept], now))[0];
    },

    async set(subject, budget, now) {
      refuseWhenClosed();
      const given = budget && soundBudget(budget);
      await snapshot.write(async ({ byId, transaction, revision, wrote }) => {
        const name = subjectName(subject);
        const was = byId.get(name);
        // The same periods as before: what was counted in them stays.
        const periodsStay = given !== undefined && typeof was === "object" && isSamePeriod(was.budget, given);
        const kept: KeptBudget | undefined = given && {
          subject,
          budget: given,
          wholeFrom: periodsStay ? was.wholeFrom : budgetSpan(given, now).opens,
          revision,
        };
        if (kept === undefined)
          await transaction.run("DELETE FROM budgets WHERE subject = $1", [storedText(name)]);
        else
          await transaction.run(
            `INSERT INTO budgets (subject, budget, whole_from, revision) VALUES ($1, $2, $3, $4)
             ON CONFLICT (subject) DO UPDATE SET budget = excluded.budget, whole_from = excluded.whole_from, revision = excluded.revision`,
            [storedText(name), budgetText(kept.budget), kept.wholeFrom, revision],
          );
        if (!periodsStay) await rebuildPeriods(transaction, { name, kept });
        wrote(name, kept);
      });
    },

    async hold(asked, now) {
      const { estimate, startedAt, leaseEnd } = asked;
      refuseUncountable({ amounts: { estimate }, moments: { startedAt, leaseEnd, now } });
      for (;;) {
        const answer = await steps.add({ kind: "hold", asked, now });
        if (answer instanceof StoreError) throw answer;
        if (answer !== "again") return answer as BudgetDecision;
      }
    },

    async answer(answered, now) {
      const { cost, startedAt } = answered;
      refuseUncountable({ amounts: { cost }, moments: { startedAt, now } });
      const row = pendingRow(answered, answered.cost, "answered");
      await steps.add({ kind: "answer", requestId: answered.requestId, row, now });
    },

    async release(requestId) {
      await steps.add({ kind: "release", requestId });
    },

    async renew(requestIds, leaseEnd) {
      refuseUncountable({ moments: { leaseEnd } });
      refuseWhenClosed();
      if (requestIds.length === 0) return;
      await db.rows(
        `UPDATE pending_spend AS row SET lease_end = $2
         FROM (SELECT request_id FROM pending_spend WHERE request_id = ANY($1::text[]) AND lease_end IS NOT NULL
               ORDER BY request_id COLLATE "C" FOR UPDATE) AS live
         WHERE row.request_id = live.request_id AND row.lease_end IS NOT NULL`,
        [requestIds.map(storedText), leaseEnd],
      );
    },

    async close() {
      isClosed = true;
      snapshot.stop();
      await steps.close();
    },
  };

  function refuseWhenClosed(): void {
    if (isClosed) throw new StoreError("The budget ledger is closed.", { applied: "no" });
  }

  async function standingsOf(kept: readonly KeptBudget[], now: EpochMs): Promise<readonly BudgetStanding[]> {
    const spans = kept.map(({ budget }) => budgetSpan(budget, now));
    const found = await db.rows<{ subject: string; spent: string; pending: string }>(
      `SELECT asked.subject, coalesce(period.spent, 0) + coalesce(payer.undated, 0) AS spent,
         coalesce(period.pending, 0) - coalesce((
           SELECT sum(amount) FROM pending_spend WHERE lease_end <= $4 AND asked.subject = ANY(subjects)
             AND started_at >= asked.opens AND started_at >= asked.whole_from AND (asked.ends IS NULL OR started_at < asked.ends)
         ), 0) AS pending
       FROM unnest($1::text[], $2::int8[], $3::int8[], $5::int8[]) AS asked (subject, opens, ends, whole_from)
       LEFT JOIN budget_periods AS period USING (subject, opens)
       LEFT JOIN spend_subjects AS payer USING (subject)`,
      [
        kept.map(({ subject }) => storedText(subjectName(subject))),
        spans.map(({ opens }) => opens),
        spans.map(({ ends }) => (ends === "never" ? null : ends)),
        now,
        kept.map(({ wholeFrom }) => wholeFrom),
      ],
    );
    const bySubject = new Map(found.map((row) => [textStored(row.subject), row]));
    return kept.map(({ subject, budget }, i) => {
      const row = bySubject.get(subjectName(subject));
      return {
        subject,
        budget,
        span: spans[i]!,
        spent: BigInt(row?.spent ?? 0),
        pending: BigInt(row?.pending ?? 0),
      };
    });
  }
}

/** As it will be read again; with the calendar of its zone at hand. */
function soundBudget(budget: Budget): Budget {
  const stored = storedBudget(budgetText(budget));
  if (stored.ok) return stored.value;
  throw new InvalidInputError(stored.faults);
}
