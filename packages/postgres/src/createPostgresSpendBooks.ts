import type { BudgetLedger, Logger, SpendLedger } from "@quota/engine";
import { budgetRows } from "./budgetRows.js";
import type { PostgresDatabase } from "./openPostgres.js";
import { postgresBudgetLedger } from "./postgresBudgetLedger.js";
import { postgresSpendLedger } from "./postgresSpendLedger.js";

/** What was spent, and the budgets that it counts against: two views of the same tables. */
export interface PostgresSpendBooks {
  readonly ledger: SpendLedger;
  readonly budgets: BudgetLedger;
}

export interface PostgresSpendBooksOptions {
  /** Hears of damaged rows and of reads that failed, under the scope `quota:budgets`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps what was spent in `spend_events` and in sums beside it, and what is pending in `pending_spend`, for gateways on any number of machines. A commit
 * is one transaction; holds, answers and releases that wait together are one. A budget that another process has given is at hand soon (`watchEveryMs`
 * of the database at the latest), and what decides is always what the database says.
 *
 * A commit that was answered survives a crash of the server and a loss of power, unless the server was told otherwise: with `synchronous_commit = off` a crash
 * takes the newest fraction of a second, with `fsync = off` a loss of power may take everything. A queue that has dropped events on the word of a commit that is
 * then lost leaves them out of the books: leave both on. Should a standby take over, the same holds for what it had not received (`synchronous_standby_names`). Where the
 * answer to a commit was lost, the error says `applied: "unknown"`, and the same commit may be asked for again: what was entered is known.
 *
 * Sums are kept by quarters of an hour and days, so neither `spend` nor `set` reads every event. Of details that were purged the quarter is known: they count at
 * the moment that it opens, and a budget once and for all that is given afterwards with an older `since` leaves out what was purged of the quarter in which that lies.
 *
 * @throws {StoreError} when the tables cannot be read.
 * @example
 * const { ledger, budgets } = await createPostgresSpendBooks(db, { logger });
 */
export async function createPostgresSpendBooks(
  db: PostgresDatabase,
  { logger }: PostgresSpendBooksOptions = {},
): Promise<PostgresSpendBooks> {
  const parts = { db, budgets: await budgetRows(db, logger) };
  return { ledger: postgresSpendLedger(parts), budgets: postgresBudgetLedger(parts) };
}
