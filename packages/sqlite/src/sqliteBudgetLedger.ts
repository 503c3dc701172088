import {
  budgetSpan,
  exactBudget,
  isSamePeriod,
  subjectName,
  type Budget,
  type BudgetDecision,
  type EpochMs,
  type SpendSubject,
} from "@quota/core";
import { InvalidInputError, refuseUncountable, StoreError, type BudgetLedger } from "@quota/engine";
import type { KeptBudget } from "./budgetRows.js";
import { orStoreError } from "./orStoreError.js";
import { patiently } from "./patiently.js";
import type { SpendBookParts } from "./spendBookParts.js";

/** The budgets of `createSqliteSpendBooks`. */
export function sqliteBudgetLedger({ db, rows, periods, held, writesOf }: SpendBookParts): BudgetLedger {
  const { snapshot } = rows;
  const writes = writesOf("budget ledger");

  return {
    budgeted: (subjects) => subjects.filter((subject) => snapshot.get(subjectName(subject)) !== undefined),

    async list(now) {
      return await read(() =>
        [...snapshot.all().values()].flatMap((kept) => (kept === "damaged" ? [] : held.standing(kept, now))),
      );
    },

    async standing(subject, now) {
      return await read(() => {
        const kept = snapshot.get(subjectName(subject));
        if (kept !== "damaged") return kept && held.standing(kept, now);
        throw new StoreError(
          `The budget stored for ${subjectName(subject)} is damaged; store it again, or take it away.`,
          { applied: "no" },
        );
      });
    },

    async set(subject, budget, now) {
      writes.refuseWhenClosed();
      const given = budget && soundBudget(budget);
      await snapshot.write(({ byId, revision, wrote }) => {
        const name = subjectName(subject);
        const was = byId.get(name);
        if (given !== undefined)
          wrote(name, storeBudget({ subject, budget: given, was }, { revision: revision(), now }));
        else if (was !== undefined) {
          revision();
          rows.drop(name);
          periods.drop(name);
          wrote(name, undefined);
        }
      });
    },

    async hold(asked, now) {
      const { estimate, startedAt, leaseEnd } = asked;
      refuseUncountable({ amounts: { estimate }, moments: { startedAt, leaseEnd, now } });
      return (await writes.add(() => held.hold(asked, now))) as BudgetDecision;
    },

    async answer(answered, now) {
      const { cost, startedAt } = answered;
      refuseUncountable({ amounts: { cost }, moments: { startedAt, now } });
      await writes.add(() => held.answer(answered));
    },

    async release(requestId) {
      await writes.add(() => held.release(requestId));
    },

    async renew(requestIds, leaseEnd) {
      refuseUncountable({ moments: { leaseEnd } });
      await writes.add(() => held.renew(requestIds, leaseEnd));
    },

    close: () => writes.close(),
  };

  function storeBudget(
    {
      subject,
      budget,
      was,
    }: {
      readonly subject: SpendSubject;
      readonly budget: Budget;
      readonly was: KeptBudget | "damaged" | undefined;
    },
    { revision, now }: { readonly revision: number; readonly now: EpochMs },
  ): KeptBudget {
    // The same periods as before: what was counted in them stays.
    const periodsStay = was !== undefined && was !== "damaged" && isSamePeriod(was.budget, budget);
    const wholeFrom = periodsStay ? was.wholeFrom : budgetSpan(budget, now).opens;
    const kept: KeptBudget = { subject, budget, wholeFrom };
    rows.store(subjectName(subject), kept, revision);
    if (!periodsStay) periods.rebuild(kept);
    return kept;
  }

  /** One reading of the budgets and of all that they add up. */
  async function read<Result>(look: () => Result): Promise<Result> {
    writes.refuseWhenClosed();
    const lookOnce = db.connection.transaction(() => {
      snapshot.catchUp();
      return look();
    });
    return await orStoreError(db.file, () => patiently(() => lookOnce(), db.lockWaitMs));
  }
}

function soundBudget(budget: Budget): Budget {
  const parsed = exactBudget(budget);
  if (parsed.ok) return parsed.value;
  throw new InvalidInputError(parsed.faults);
}
