import type { Logger } from "@quota/engine";
import { Pool } from "pg";
import { inTransaction } from "./inTransaction.js";
import { migrate } from "./migrate.js";
import { PostgresError } from "./postgresError.js";
import { postgresFault } from "./postgresFault.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { QUOTA_MIGRATIONS } from "./quotaMigrations.js";
import { storeError } from "./storeError.js";
import { watchRevisions } from "./watchRevisions.js";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with whatever parameters `pg` knows (`sslmode`). */
  readonly url: string;
  /** How many connections this process opens at most, besides one that listens. Default 10. */
  readonly connections?: number | undefined;
  /** How long a statement, and the wait for a connection, may take. Default 2000 ms. */
  readonly timeoutMs?: number | undefined;
  /** How often it is looked whether others have changed something, where no notification is heard. Default 2000 ms. */
  readonly watchEveryMs?: number | undefined;
  /** Hears of connections that were lost, under the scope `quota:postgres`. */
  readonly logger?: Logger | undefined;
}

/**
 * One PostgreSQL database, opened and migrated: what the stores of this package stand on, and a place for an app's own tables.
 *
 * What is committed survives a crash of the server, and a loss of power unless `fsync` or `synchronous_commit` was turned off there (`off`: the newest
 * fraction of a second; `fsync = off`: everything). With a standby that takes over, it survives that too only with `synchronous_standby_names`.
 */
export interface PostgresDatabase {
  readonly url: string;
  /** Host, port and database, for messages. */
  readonly place: string;
  /** Reads outside of a transaction. @throws {StoreError} */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * Runs `work` in one transaction (READ COMMITTED); what other transactions got in the way of (a deadlock) is done again, so `work` may run more than once.
   *
   * @throws what `work` throws, after rolling back.
   * @throws {StoreError} with the driver's error as its cause; `applied: "unknown"` where the answer to the commit was lost.
   */
  write<Result>(
    work: (transaction: PostgresTransaction) => Promise<Result>,
    options?: {
      /** How it begins, where it is not just `BEGIN`: statements without values, such as locks. */
      readonly begin?: string | undefined;
    },
  ): Promise<Result>;
  /**
   * Calls `look` soon after a transaction that says `changed(topic)` was committed, by this process or another one, and at times when nothing has changed.
   * Where it rejects it is called again at the next look, `watchEveryMs` later at the latest. Returns what stops that.
   */
  watch(topic: string, look: () => void | Promise<void>): () => void;
  /** Stops watching and closes every connection, once what is under way is over. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Connects, sees that the server is one that will do (PostgreSQL 14 or newer, UTF-8, not a standby), and brings the tables up to date. A connection
 * that is lost later is made anew by whoever needs one.
 *
 * @throws {PostgresError} in one sentence, with what to do about it.
 * @example
 * const db = await openPostgres({ url: "postgres://gateway@db.internal/quota" });
 * const { ledger, budgets } = createPostgresSpendBooks(db);
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const { url, connections = 10, timeoutMs = 2_000, watchEveryMs = 2_000, logger } = options;
  const place = placeOf(url);
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    // The server's own word comes first; this is for a server that says nothing any more.
    query_timeout: timeoutMs + 500,
    // A process that stands still in the midst of a transaction must not keep others from theirs.
    idle_in_transaction_session_timeout: 5 * timeoutMs,
    keepAlive: true,
    pipeline: true,
    application_name: "quota",
  });
  // A connection that is lost while nobody uses it; the pool has dropped it, and the next who needs one opens another.
  pool.on("error", (err) =>
    logger?.warn({ scope: "quota:postgres", place, err }, "A connection to the database was lost."),
  );
  try {
    await checkServer(pool, place);
    await migrate({ url, place }, { namespace: "quota", migrations: QUOTA_MIGRATIONS });
  } catch (error) {
    await pool.end();
    throw postgresFault(error, place);
  }
  const revisions = watchRevisions({
    pool,
    url,
    place,
    everyMs: watchEveryMs,
    connectTimeoutMs: timeoutMs,
    logger,
  });
  let closed: Promise<void> | undefined;

  return {
    url,
    place,
    async rows<Row extends object>(sql: string, values: readonly unknown[] = []) {
      try {
        return (await pool.query<Row>(sql, [...values])).rows;
      } catch (cause) {
        throw storeError(cause, { place, applied: "no" });
      }
    },
    write: async (work, { begin } = {}) => await inTransaction({ pool, place, begin }, work),
    watch: (topic, look) => revisions.watch(topic, look),
    async close() {
      closed ??= revisions.stop().then(async () => await pool.end());
      await closed;
    },
  };
}

/** The oldest that is tested against. */
const OLDEST = 14;

async function checkServer(pool: Pool, place: string): Promise<void> {
  const { rows } = await pool.query<{ version: number; encoding: string; standby: boolean }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
            pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS standby`,
  );
  const { version, encoding, standby } = rows[0]!;
  if (version < OLDEST * 10_000)
    throw new PostgresError({
      code: "too-old",
      place,
      problem: `The server of the database ${place} is PostgreSQL ${String(Math.floor(version / 10_000))}; it needs to be ${String(OLDEST)} or newer.`,
      remedy: "Upgrade it, or name another one.",
    });
  if (encoding !== "UTF8")
    throw new PostgresError({
      code: "not-utf8",
      place,
      problem: `The database ${place} keeps texts as ${encoding}, so not every text could be kept.`,
      remedy: "Make it with ENCODING 'UTF8'.",
    });
  if (standby)
    throw new PostgresError({
      code: "read-only",
      place,
      problem: `The database ${place} can only be read.`,
      remedy: "Name the primary, by a user who may write.",
    });
}

function placeOf(url: string): string {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new PostgresError({
      code: "not-a-url",
      place: "",
      problem: "The database has no URL of PostgreSQL's.",
      remedy: "Give one such as postgres://user:password@host:5432/database.",
    });
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}:${port || "5432"}${pathname}`;
}
