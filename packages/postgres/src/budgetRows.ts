import { subjectOf, type Budget, type EpochMs, type SpendSubject } from "@quota/core";
import type { Logger } from "@quota/engine";
import type { PostgresDatabase } from "./openPostgres.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { snapshotOf, type Snapshot } from "./snapshotOf.js";
import { LEDGER_CLOSED } from "./spendLocks.js";
import { storedBudget } from "./storedBudget.js";
import { storedText, textStored } from "./storedText.js";

/** A budget as it is stored. */
export interface KeptBudget {
  readonly subject: SpendSubject;
  readonly budget: Budget;
  /** From the period that opens here on, a period without a row is one in which nothing was counted. */
  readonly wholeFrom: EpochMs;
  readonly revision: number;
}

/** `budgets`, all of them at hand, by the names of their subjects. */
export interface BudgetRows {
  readonly snapshot: Snapshot<KeptBudget | "damaged">;
  /** Those of these names, as they are now, each locked until the transaction ends; in one order, so that nobody waits for who waits for them. */
  lock(
    transaction: PostgresTransaction,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, KeptBudget | "damaged">>;
}

interface BudgetRow {
  readonly subject: string;
  readonly budget: string | null;
  readonly whole_from: string;
  readonly revision: string;
}

/** @throws {StoreError} when the table cannot be read. */
export async function budgetRows(db: PostgresDatabase, logger: Logger | undefined): Promise<BudgetRows> {
  const snapshot = await snapshotOf<KeptBudget | "damaged">(db, {
    topic: "budgets",
    async load(rows, since) {
      const found = await rows<BudgetRow>(
        "SELECT subject, CASE WHEN revision > $1 THEN budget END AS budget, whole_from, revision FROM budgets",
        [since],
      );
      return found.map((row) => ({
        id: textStored(row.subject),
        revision: Number(row.revision),
        value: row.budget === null ? undefined : read(row, row.budget),
      }));
    },
    onFailure: (err) =>
      logger?.warn(
        { scope: "quota:budgets", err },
        "The budgets could not be read again; the last ones seen are used.",
      ),
    begin: LEDGER_CLOSED,
  });

  return {
    snapshot,
    async lock({ rows }, names) {
      if (names.length === 0) return new Map();
      const found = await rows<BudgetRow & { readonly budget: string }>(
        `SELECT subject, budget, whole_from, revision FROM budgets WHERE subject = ANY($1::text[])
         ORDER BY subject COLLATE "C" FOR UPDATE`,
        [names.map(storedText)],
      );
      return new Map(
        found.map((row) => {
          const name = textStored(row.subject);
          const known = snapshot.get(name);
          // What is at hand knows its calendar.
          const isSame = typeof known === "object" && known.revision === Number(row.revision);
          return [name, isSame ? known : read(row, row.budget)];
        }),
      );
    },
  };

  function read(row: BudgetRow, text: string): KeptBudget | "damaged" {
    const name = textStored(row.subject);
    const subject = subjectOf(name);
    const parsed = storedBudget(text);
    if (subject !== undefined && parsed.ok)
      return {
        subject,
        budget: parsed.value,
        wholeFrom: Number(row.whole_from),
        revision: Number(row.revision),
      };
    logger?.warn(
      { scope: "quota:budgets", subject: name, faults: parsed.ok ? [] : parsed.faults },
      "A stored budget is damaged, and what it bounds is stopped; store it again, or take it away.",
    );
    return "damaged";
  }
}
