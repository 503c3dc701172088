import { Client } from "pg";
import type { PostgresDatabase } from "./openPostgres.js";
import { PostgresError } from "./postgresError.js";
import { postgresFault, sqlState } from "./postgresFault.js";

/** One numbered `.sql` file. */
export interface Migration {
  /** A whole number from 1; the order in which migrations are applied. */
  readonly number: number;
  /** The file's name, such as `0002-api-keys`. */
  readonly name: string;
  /** Statements that may meet a database that has what they make already (`IF NOT EXISTS`). */
  readonly sql: string;
}

/** Whose migrations, and which: an app keeps its own tables in the same database under a namespace of its own. */
export interface Migrations {
  readonly namespace: string;
  readonly migrations: readonly Migration[];
}

/**
 * Applies what has not been applied yet, in one transaction together with the rows in `schema_migrations`: all of it, or none. Processes that
 * start together take turns (an advisory lock). No copy is made beforehand: that is for whoever runs the database (`pg_dump`).
 *
 * @returns the names of the migrations that were applied by this call.
 * @throws {PostgresError} `migration-conflict` for two migrations with one number, `schema-newer` for a database that newer
 * code has migrated, `migration-failed` with PostgreSQL's error as its cause.
 */
export async function migrate(
  { url, place }: Pick<PostgresDatabase, "url" | "place">,
  { namespace, migrations }: Migrations,
): Promise<readonly string[]> {
  const ordered = inOrder(migrations, place);
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  // Each statement that meets a lost connection is rejected by itself.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(`BEGIN; SET LOCAL statement_timeout = ${String(WAIT_MS)}`);
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('quota schema_migrations', 0))");
    await client.query(LEDGER);
    const missing = await stillPending(client, { namespace, migrations: ordered, place });
    for (const { number, name, sql } of missing) {
      await apply(client, { name, sql, place });
      await client.query("INSERT INTO schema_migrations (namespace, number, name) VALUES ($1, $2, $3)", [
        namespace,
        number,
        name,
      ]);
    }
    await client.query("COMMIT");
    return missing.map(({ name }) => name);
  } catch (error) {
    throw postgresFault(error, place);
  } finally {
    await client.end();
  }
}

const CONNECT_MS = 5_000;

/** How long a migration, or the wait for a neighbour's, may take. */
const WAIT_MS = 60_000;

const LEDGER = `CREATE TABLE IF NOT EXISTS schema_migrations (
  namespace text NOT NULL,
  number integer NOT NULL,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (namespace, number)
)`;

function inOrder(migrations: readonly Migration[], place: string): readonly Migration[] {
  const byNumber = new Map<number, Migration>();
  for (const migration of migrations) {
    const other = byNumber.get(migration.number);
    if (other !== undefined || !Number.isSafeInteger(migration.number) || migration.number < 1)
      throw new PostgresError({
        code: "migration-conflict",
        place,
        problem: other
          ? `The migrations ${other.name} and ${migration.name} bear the same number ${String(migration.number)}.`
          : `The migration ${migration.name} bears the number ${String(migration.number)}.`,
        remedy: "Give each a whole number of its own, from 1.",
      });
    byNumber.set(migration.number, migration);
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}

/** Compares what the database says was applied with what this code knows. */
async function stillPending(
  client: Client,
  { namespace, migrations, place }: Migrations & { readonly place: string },
): Promise<readonly Migration[]> {
  const { rows: applied } = await client.query<{ number: number; name: string }>(
    "SELECT number, name FROM schema_migrations WHERE namespace = $1 ORDER BY number",
    [namespace],
  );
  const newest = migrations.at(-1)?.number ?? 0;
  for (const { number, name } of applied) {
    if (number > newest)
      throw new PostgresError({
        code: "schema-newer",
        place,
        problem: `The database ${place} was migrated by a newer version (${name}) than this one, which knows ${namespace} up to ${String(newest)}.`,
        remedy: "Run the newer version, or restore a dump from before.",
      });
    const known = migrations.find((migration) => migration.number === number);
    if (known?.name !== name)
      throw new PostgresError({
        code: "migration-conflict",
        place,
        problem: `The database ${place} has applied ${name} as number ${String(number)} of ${namespace}, which this version knows as ${known?.name ?? "nothing"}.`,
        remedy: "Run the version that it was migrated with, or renumber the migration that has not shipped.",
      });
  }
  const there = new Set(applied.map(({ number }) => number));
  return migrations.filter(({ number }) => !there.has(number));
}

async function apply(
  client: Client,
  { name, sql, place }: { readonly name: string; readonly sql: string; readonly place: string },
): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    // Wrong statements and rows that do not fit them; not a server that goes away, nor a full disk.
    if (
      !(cause instanceof Error) ||
      !/^(0A|2[0-35]|42)/.test(sqlState(cause) ?? "") ||
      sqlState(cause) === "42501"
    )
      throw cause;
    throw new PostgresError({
      code: "migration-failed",
      place,
      problem: `The migration ${name} of the database ${place} failed and was rolled back: ${cause.message}.`,
      remedy: "Run the version that the database was used with before, and report this.",
      cause,
    });
  }
}
