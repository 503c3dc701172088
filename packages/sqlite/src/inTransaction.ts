import type { Database } from "better-sqlite3";

/** Runs `work` in one transaction that holds the write lock from its start: all of it is kept, or none. */
export function inTransaction<Result>(connection: Database, work: () => Result): Result {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, a full disk among them.
    if (connection.inTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}
