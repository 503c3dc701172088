import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Database } from "better-sqlite3";
import { checkWritable } from "./checkWritable.js";
import { inTransaction } from "./inTransaction.js";
import { loadDriver } from "./loadDriver.js";
import { migrate } from "./migrate.js";
import { patiently } from "./patiently.js";
import { QuotaDatabaseError } from "./quotaDatabaseError.js";
import { QUOTA_MIGRATIONS } from "./quotaMigrations.js";
import { sqliteFault } from "./sqliteFault.js";
import { stillInPlace } from "./stillInPlace.js";

export interface QuotaDatabaseOptions {
  /** Made if it is not there; its directory must be. */
  readonly file: string;
  /** Opens an existing file for looking only: nothing is made, migrated or written. Default false. */
  readonly readonly?: boolean | undefined;
  /** How long a write waits, in all, while other processes hold the file. Default 2000 ms; ten times that at the start. */
  readonly lockWaitMs?: number | undefined;
  /** How often the file is looked at: whether other processes have changed it, and whether it is still there. Default 250 ms. */
  readonly watchEveryMs?: number | undefined;
}

/** One SQLite file, opened and migrated: what the stores of this package stand on, and a place for an app's own tables. */
export interface QuotaDatabase {
  /** Absolute. */
  readonly file: string;
  /** The connection, for an app's own tables. Transactions on it must begin and end within one turn of the event loop. */
  readonly connection: Database;
  readonly lockWaitMs: number;
  /**
   * Runs `work` in one write transaction, waiting (without stopping the event loop) while another process holds the file.
   * `work` is synchronous; it may run more than once only if it never began.
   *
   * @throws what `work` throws, after rolling back. @throws the driver's `SqliteError` when the file cannot be written.
   * @throws {QuotaDatabaseError} `replaced`.
   */
  write<Result>(work: () => Result): Promise<Result>;
  /**
   * Looks, now and then, whether the file is still the one that was opened; what writes asks first.
   *
   * @throws {QuotaDatabaseError} `replaced`.
   */
  checkInPlace(): void;
  /** Calls `look` soon after another connection has changed the file; returns what stops that. */
  watch(look: () => void): () => void;
  /** Stops watching and closes the connection. Close the stores on it first. */
  close(): void;
}

/**
 * Opens the file in WAL mode (`synchronous` NORMAL, foreign keys on), and brings its tables up to date; an existing file is
 * copied first if that changes anything. SQLite's own wait for a lock stops the event loop, so it is cut to
 * a millisecond and the rest of the waiting is awaited.
 *
 * @throws {QuotaDatabaseError} in one sentence, with what to do about it. No other database is opened or made instead.
 * @example
 * const db = await openQuotaDatabase({ file: ".data/storage.sqlite" });
 * const store = createSqliteUsageStore(db);
 */
export async function openQuotaDatabase(options: QuotaDatabaseOptions): Promise<QuotaDatabase> {
  const { readonly = false, lockWaitMs = 2_000, watchEveryMs = 250 } = options;
  const file = resolve(options.file);
  const Driver = await loadDriver(file);
  if (readonly) checkExists(file);
  else checkWritable(file);

  let connection: Database | undefined;
  try {
    const opened = new Driver(file, { readonly, timeout: BUSY_TIMEOUT_MS });
    connection = opened;
    await patiently(() => prepare(opened, readonly), lockWaitMs * 10);
    const db = databaseOn(opened, { file, lockWaitMs, watchEveryMs });
    await migrate(db, { namespace: "quota", migrations: QUOTA_MIGRATIONS });
    return db;
  } catch (error) {
    connection?.close();
    throw sqliteFault(error, file);
  }
}

/** How long SQLite itself may wait for a lock, in a sleep that nothing can interrupt: one short look, no more. */
const BUSY_TIMEOUT_MS = 1;

/** Keeps the `-wal` file from staying as large as the largest burst has made it. */
const WAL_SIZE_LIMIT = 64 * 1024 * 1024;

function checkExists(file: string): void {
  if (existsSync(file)) return;
  throw new QuotaDatabaseError({
    code: "not-found",
    path: file,
    problem: `There is no database ${file}.`,
    remedy: "Name an existing file, or leave `readonly` out to make one.",
  });
}

function prepare(connection: Database, readonly: boolean): void {
  // The first read is where a file that is no database is found out.
  connection.pragma("schema_version");
  connection.pragma("foreign_keys = ON");
  if (readonly) return;
  connection.pragma("journal_mode = WAL");
  connection.pragma("synchronous = NORMAL");
  connection.pragma(`journal_size_limit = ${String(WAL_SIZE_LIMIT)}`);
}

function databaseOn(
  connection: Database,
  {
    file,
    lockWaitMs,
    watchEveryMs,
  }: { readonly file: string; readonly lockWaitMs: number; readonly watchEveryMs: number },
): QuotaDatabase {
  const checkInPlace = stillInPlace(file, watchEveryMs);
  const watchers = new Set<() => void>();
  const dataVersion = connection.prepare("PRAGMA data_version").pluck();
  let seen = dataVersion.get();
  let timer: NodeJS.Timeout | undefined;

  return {
    file,
    connection,
    lockWaitMs,

    checkInPlace,

    async write(work) {
      checkInPlace();
      return await patiently(() => inTransaction(connection, work), lockWaitMs);
    },

    watch(look) {
      watchers.add(look);
      timer ??= setInterval(lookForChanges, watchEveryMs).unref();
      return () => void watchers.delete(look);
    },

    close() {
      clearInterval(timer);
      watchers.clear();
      connection.close();
    },
  };

  function lookForChanges(): void {
    if (changed()) for (const look of watchers) look();
  }

  function changed(): boolean {
    const was = seen;
    try {
      seen = dataVersion.get();
      return seen !== was;
    } catch {
      // Whoever looks closer will meet the same error, and has a way to report it.
      return true;
    }
  }
}
