import { exactBudget, subjectOf, type Budget, type EpochMs, type SpendSubject } from "@quota/core";
import type { Logger } from "@quota/engine";
import { jsonIn } from "./jsonIn.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { snapshotOf, type Snapshot } from "./snapshotOf.js";

/** A budget as it is stored. */
export interface KeptBudget {
  readonly subject: SpendSubject;
  readonly budget: Budget;
  /** From the period that opens here on, a period without a row is one in which nothing was counted. */
  readonly wholeFrom: EpochMs;
}

/** `budgets`, all of them at hand, by the names of their subjects. */
export interface BudgetRows {
  readonly snapshot: Snapshot<KeptBudget | "damaged">;
  /** Within `snapshot.write`. */
  store(name: string, kept: KeptBudget, revision: number): void;
  drop(name: string): void;
}

/** @throws {StoreError} when the table cannot be read. */
export function budgetRows(db: QuotaDatabase, logger: Logger | undefined): BudgetRows {
  const { connection } = db;
  const index = connection.prepare<[], [string, number]>("SELECT subject, revision FROM budgets").raw();
  const one = connection
    .prepare<[string], [budget: string, wholeFrom: number]>(
      "SELECT budget, whole_from FROM budgets WHERE subject = ?",
    )
    .raw();
  const store = connection.prepare(
    `INSERT INTO budgets (subject, budget, whole_from, revision) VALUES (?, ?, ?, ?)
     ON CONFLICT (subject) DO UPDATE SET budget = excluded.budget, whole_from = excluded.whole_from, revision = excluded.revision`,
  );
  const drop = connection.prepare("DELETE FROM budgets WHERE subject = ?");

  return {
    snapshot: snapshotOf<KeptBudget | "damaged">(db, {
      topic: "budgets",
      index: () => index.all(),
      load,
      onFailure: (err) =>
        logger?.warn(
          { scope: "quota:budgets", err },
          "The budgets could not be read again; the last ones seen are used.",
        ),
    }),
    store: (name, { budget, wholeFrom }, revision) =>
      void store.run(name, JSON.stringify(budget), wholeFrom, revision),
    drop: (name) => void drop.run(name),
  };

  function load(name: string): KeptBudget | "damaged" | undefined {
    const row = one.get(name);
    if (row === undefined) return undefined;
    const subject = subjectOf(name);
    const parsed = exactBudget(jsonIn(row[0]));
    if (subject !== undefined && parsed.ok) return { subject, budget: parsed.value, wholeFrom: row[1] };
    logger?.warn(
      { scope: "quota:budgets", subject: name, faults: parsed.ok ? [] : parsed.faults },
      "A stored budget is damaged, and what it bounds is stopped; store it again, or take it away.",
    );
    return "damaged";
  }
}
