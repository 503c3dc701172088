import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "better-sqlite3";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { patiently } from "./patiently.js";
import { QuotaDatabaseError } from "./quotaDatabaseError.js";
import { sqliteFault } from "./sqliteFault.js";

/**
 * Writes a copy of the database as it stands into a new file, compacted, in one piece and without a `-wal`. Other processes
 * may go on writing; this one stands still meanwhile (about a second per 200 MB).
 *
 * @throws {QuotaDatabaseError} `file-exists` rather than overwriting anything; `not-writable`, `disk-full` …
 * @example
 * await backupTo(db, "backups/storage-2026-01-31.sqlite");
 */
export async function backupTo(db: QuotaDatabase, file: string): Promise<void> {
  const copy = resolve(file);
  try {
    await patiently(() => vacuumInto(db.connection, copy), db.lockWaitMs);
  } catch (error) {
    throw sqliteFault(error, copy);
  }
}

/** Half a copy is taken away again; what was there before never is. */
export function vacuumInto(connection: Database, copy: string): void {
  if (existsSync(copy))
    throw new QuotaDatabaseError({
      code: "file-exists",
      path: copy,
      problem: `No copy was made, since ${copy} exists.`,
      remedy: "Name a file that does not exist.",
    });
  try {
    connection.prepare("VACUUM INTO ?").run(copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}
