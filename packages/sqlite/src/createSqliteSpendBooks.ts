import { StoreError, type BudgetLedger, type Logger, type SpendLedger } from "@quota/engine";
import { budgetPeriods } from "./budgetPeriods.js";
import { budgetRows } from "./budgetRows.js";
import { groupCommit, type Outcome } from "./groupCommit.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { pendingBudgets } from "./pendingBudgets.js";
import { pendingSpend } from "./pendingSpend.js";
import { spendEntries } from "./spendEntries.js";
import type { SpendBookParts } from "./spendBookParts.js";
import { sqliteBudgetLedger } from "./sqliteBudgetLedger.js";
import { sqliteSpendLedger } from "./sqliteSpendLedger.js";

/** What was spent, and the budgets that it counts against: two views of the same tables. */
export interface SqliteSpendBooks {
  readonly ledger: SpendLedger;
  readonly budgets: BudgetLedger;
}

export interface SqliteSpendBooksOptions {
  /** Hears of damaged rows and of reads that failed, under the scope `quota:budgets`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps what was spent in `spend_events` and in sums beside it, and what is pending in `pending_spend`. A commit is one transaction; holds, answers and
 * releases that wait together are one. Any number of processes on the machine may share the file; a budget that another process has given is
 * at hand within `watchEveryMs` of the database, and what decides is always what the file says.
 *
 * What was answered survives the end of the process. A loss of power may take the transactions since the file was last flushed (`synchronous`
 * NORMAL waits for the disk at checkpoints alone), the newest first. With the queue in the same file nothing of that is charged twice or left
 * out: the events wait again, or were never handed in. With a queue elsewhere, such as in Redis, it may have dropped events on the word of a commit that is lost:
 * then `db.connection.pragma("synchronous = FULL")` after opening is needed, and no commit that was answered is lost.
 *
 * Sums are kept by quarters of an hour and days, so neither `spend` nor `set` reads every event; details are read where a moment that is asked for lies within a
 * quarter. Of details that were purged the quarter is known: they count at the moment that it opens, and a budget once and for all that is given afterwards with
 * an older `since` leaves out what was purged of the quarter in which that lies.
 *
 * @throws {StoreError} when the tables cannot be read.
 * @example
 * const { ledger, budgets } = createSqliteSpendBooks(db, { logger });
 */
export function createSqliteSpendBooks(
  db: QuotaDatabase,
  { logger }: SqliteSpendBooksOptions = {},
): SqliteSpendBooks {
  const rows = budgetRows(db, logger);
  const entries = spendEntries(db.connection);
  const pending = pendingSpend(db.connection);
  const periods = budgetPeriods(db.connection, { entries, pending });
  const books: SpendBookParts = {
    db,
    rows,
    entries,
    periods,
    held: pendingBudgets({
      pending,
      periods,
      budgetOf: (name) => rows.snapshot.get(name),
      isKnown: (requestId) => entries.isKnown(requestId),
    }),
    writesOf: (what) =>
      groupCommit<() => unknown, unknown>(db, {
        what,
        // What decides is what the file says now.
        begin: () => rows.snapshot.catchUp(),
        run,
        undone() {
          entries.undo();
          periods.undo();
        },
      }),
  };
  return { ledger: sqliteSpendLedger(books), budgets: sqliteBudgetLedger(books) };
}

/** A job throws a {@link StoreError} of its own where it refuses to go on, and has left nothing by halves then. */
function run(job: () => unknown): Outcome<unknown> {
  try {
    return { answer: job() };
  } catch (error) {
    if (error instanceof StoreError) return { refusal: error };
    throw error;
  }
}
