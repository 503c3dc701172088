import { chmodSync, existsSync, statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { vacuumInto } from "./backupTo.js";
import { inTransaction } from "./inTransaction.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { patiently } from "./patiently.js";
import { QuotaDatabaseError } from "./quotaDatabaseError.js";
import { sqliteFault } from "./sqliteFault.js";

/** One numbered `.sql` file. */
export interface Migration {
  /** A whole number from 1; the order in which migrations are applied. */
  readonly number: number;
  /** The file's name, such as `0002-api-keys`. */
  readonly name: string;
  /**
   * Statements that may meet a file that has what they make already (`IF NOT EXISTS`). SQLite has no such words for a column:
   * a file that adds one holds that single `ALTER TABLE … ADD COLUMN`, and a column that is there already is left alone.
   */
  readonly sql: string;
}

/** Whose migrations, and which: an app keeps its own tables in the same file under a namespace of its own. */
export interface Migrations {
  readonly namespace: string;
  readonly migrations: readonly Migration[];
}

/**
 * Applies what has not been applied yet, each in a transaction of its own together with its row in `schema_migrations`.
 * Processes that start together take turns. An existing file with anything in it is copied beforehand, to
 * `<file>.before-<namespace>-<number>`, by whoever holds the lock.
 *
 * @returns the names of the migrations that were applied by this call.
 * @throws {QuotaDatabaseError} `migration-conflict` for two migrations with one number, `schema-newer` for a file that newer
 * code has migrated, `migration-failed` with SQLite's error as its cause; what was applied before stays applied.
 */
export async function migrate(
  db: QuotaDatabase,
  { namespace, migrations }: Migrations,
): Promise<readonly string[]> {
  const ordered = inOrder(migrations, db.file);
  const { connection, file } = db;
  const waitMs = db.lockWaitMs * 10;
  const pending = (): readonly Migration[] =>
    stillPending(connection, { namespace, migrations: ordered }, file);
  try {
    if ((await patiently(pending, waitMs)).length === 0) return [];
    refuseReadonly(connection, file);
    return await patiently(() => inTransaction(connection, () => applyAll(pending())), waitMs);
  } catch (error) {
    throw sqliteFault(error, file);
  }

  function applyAll(missing: readonly Migration[]): readonly string[] {
    const [first] = missing;
    // A neighbour has been here while we waited for the lock.
    if (first === undefined) return [];
    if (holdsAnything(connection)) copyBefore(db, `${namespace}-${String(first.number).padStart(4, "0")}`);
    connection.exec(LEDGER);
    const record = connection.prepare(
      "INSERT INTO schema_migrations (namespace, number, name) VALUES (?, ?, ?)",
    );
    for (const migration of missing) {
      apply(connection, migration, file);
      record.run(namespace, migration.number, migration.name);
    }
    return missing.map(({ name }) => name);
  }
}

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  namespace TEXT NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  applied_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (namespace, number)
) STRICT`;

function inOrder(migrations: readonly Migration[], file: string): readonly Migration[] {
  const byNumber = new Map<number, Migration>();
  for (const migration of migrations) {
    const other = byNumber.get(migration.number);
    if (other !== undefined || !Number.isSafeInteger(migration.number) || migration.number < 1)
      throw new QuotaDatabaseError({
        code: "migration-conflict",
        path: file,
        problem: other
          ? `The migrations ${other.name} and ${migration.name} bear the same number ${String(migration.number)}.`
          : `The migration ${migration.name} bears the number ${String(migration.number)}.`,
        remedy: "Give each a whole number of its own, from 1.",
      });
    byNumber.set(migration.number, migration);
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

/** Compares what the file says was applied with what this code knows. */
function stillPending(
  connection: Database,
  { namespace, migrations }: Migrations,
  file: string,
): readonly Migration[] {
  const applied = appliedNames(connection, namespace);
  const newest = migrations.at(-1)?.number ?? 0;
  for (const [number, name] of applied) {
    if (number > newest)
      throw new QuotaDatabaseError({
        code: "schema-newer",
        path: file,
        problem: `The database ${file} was migrated by a newer version (${name}) than this one, which knows ${namespace} up to ${String(newest)}.`,
        remedy: "Run the newer version, or restore the copy that it made before migrating.",
      });
    const known = migrations.find((migration) => migration.number === number);
    if (known?.name !== name)
      throw new QuotaDatabaseError({
        code: "migration-conflict",
        path: file,
        problem: `The database ${file} has applied ${name} as number ${String(number)} of ${namespace}, which this version knows as ${known?.name ?? "nothing"}.`,
        remedy: "Run the version that it was migrated with, or renumber the migration that has not shipped.",
      });
  }
  return migrations.filter(({ number }) => !applied.has(number));
}

function appliedNames(connection: Database, namespace: string): ReadonlyMap<number, string> {
  if (!connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get())
    return new Map();
  const rows = connection
    .prepare<[string], [number, string]>("SELECT number, name FROM schema_migrations WHERE namespace = ?")
    .raw()
    .all(namespace);
  return new Map(rows);
}

function apply(connection: Database, { name, sql }: Migration, file: string): void {
  try {
    connection.exec(sql);
  } catch (cause) {
    const onlyAddsColumn = /^ALTER\s+TABLE[^;]+ADD\s+COLUMN[^;]+;?\s*$/i.test(
      sql.replaceAll(/^\s*--.*$/gm, "").trim(),
    );
    if (onlyAddsColumn && cause instanceof Error && cause.message.startsWith("duplicate column name")) return;
    if (!isStatementError(cause)) throw cause;
    throw new QuotaDatabaseError({
      code: "migration-failed",
      path: file,
      problem: `The migration ${name} of the database ${file} failed and was rolled back: ${cause.message}.`,
      remedy: "Run the version that the file was used with before, and report this.",
      cause,
    });
  }
}

/** Whether the statements themselves are at fault, not the disk or the file. */
function isStatementError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    /^SQLITE_(ERROR|CONSTRAINT|MISMATCH)/.test(String((error as { code?: unknown }).code))
  );
}

function refuseReadonly(connection: Database, file: string): void {
  if (!connection.readonly) return;
  throw new QuotaDatabaseError({
    code: "not-writable",
    path: file,
    problem: `The database ${file} needs a migration, and was opened for reading only.`,
    remedy: "Open it for writing once.",
  });
}

/** A file without a single row is not worth a copy: it has just been made. */
function holdsAnything(connection: Database): boolean {
  const tables = connection
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migrations', 'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')",
    )
    .pluck()
    .all();
  return tables.some((table) =>
    connection.prepare(`SELECT 1 FROM "${table.replaceAll('"', '""')}" LIMIT 1`).get(),
  );
}

/**
 * Through a connection of its own, since ours is in a transaction already: it holds the write lock, so nothing changes between
 * the copy and the migration.
 */
function copyBefore({ connection, file }: QuotaDatabase, what: string): void {
  const wanted = `${file}.before-${what}`;
  let copy = wanted;
  for (let i = 2; existsSync(copy); i += 1) copy = `${wanted}.${String(i)}`;
  const Driver = connection.constructor as new (file: string, options: { readonly: boolean }) => Database;
  const reader = new Driver(file, { readonly: true });
  try {
    vacuumInto(reader, copy);
  } finally {
    reader.close();
  }
  chmodSync(copy, statSync(file).mode & 0o777);
}
