import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BudgetLedger, SpendLedger, SpendQueue } from "@quota/engine";
import { createDatabase, startPostgres, type PostgresServer } from "@quota/local-postgres";
import { startRedisServer, type RedisServer } from "@quota/local-redis";
import { createPostgresSpendBooks, openPostgres } from "@quota/postgres";
import { createRedisSpendQueue, openRedis } from "@quota/redis";
import { createSqliteSpendBooks, createSqliteSpendQueue, openQuotaDatabase } from "@quota/sqlite";
import { createProviderSimulator } from "../../server/simulator/createProviderSimulator.js";
import { tortureGateway, type TortureGateway } from "./tortureGateway.js";

/** Where the queue is, and where the ledger: two gateways on one file; two on Redis and one file; three on Redis and PostgreSQL, with a directory each. */
export type TortureMode = (typeof TORTURE_MODES)[number];

export const TORTURE_MODES = ["sqlite", "redis-sqlite", "redis-postgres"] as const;

/** Gateways that run as processes over one queue and one ledger, each with a flusher of its own, and handles of our own on both. */
export interface TortureWorld {
  readonly mode: TortureMode;
  readonly gateways: readonly TortureGateway[];
  /** Appends every command before it answers. Undefined where there is none. */
  readonly redis: RedisServer | undefined;
  /** Undefined where there is none, or where it is somebody else's too. */
  readonly postgres: PostgresServer | undefined;
  readonly ledger: SpendLedger;
  readonly budgets: BudgetLedger;
  /** A handle of its own each time: Redis may have been started anew. */
  withQueue<Result>(look: (queue: SpendQueue) => Promise<Result>): Promise<Result>;
  /** Asks the database of the ledger. */
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  stop(): Promise<void>;
}

export async function startTortureWorld({
  mode,
  main,
  postgresUrl,
}: {
  readonly mode: TortureMode;
  /** The built gateway. */
  readonly main: string;
  /** A server that is there already, and is not to be killed. */
  readonly postgresUrl?: string | undefined;
}): Promise<TortureWorld> {
  const closing: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const directory = await mkdtemp(join(tmpdir(), "quota-torture-"));
    closing.push(() => rm(directory, { recursive: true, force: true }));
    const provider = createProviderSimulator({ chunkDelayMs: 1, chunks: 6 });
    const { baseUrl } = await provider.listen();
    closing.push(() => provider.close());
    const redis =
      mode === "sqlite"
        ? undefined
        : await startRedisServer({ settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    if (redis !== undefined) closing.push(() => redis.stop());
    // What a commit promises is not to be lost at a crash, so this server waits for its disk.
    const own =
      mode === "redis-postgres" && postgresUrl === undefined
        ? await startPostgres({ durable: true })
        : undefined;
    if (own !== undefined) closing.push(() => own.stop());
    const database = mode === "redis-postgres" ? await createDatabase((own?.url ?? postgresUrl)!) : undefined;
    if (database !== undefined) closing.push(() => database.drop());

    const count = mode === "redis-postgres" ? 3 : 2;
    const env = {
      QUOTA_REPLICAS: String(count),
      UPSTREAM_BASE_URL: `${baseUrl}/v1`,
      UPSTREAM_API_KEY: "sk-upstream",
      UPSTREAM_PROVIDER: "kimi",
      ...(redis && {
        QUOTA_STORE_DRIVER: "redis",
        QUOTA_STORE_REDIS_URL: redis.url,
        QUOTA_SPEND_QUEUE: "redis",
      }),
      ...(database && { QUOTA_DATABASE_URL: database.url, QUOTA_SECRETS_KEY: SECRETS_KEY }),
    };
    const gateways: TortureGateway[] = [];
    for (let i = 0; i < count; i += 1) {
      const dataDir = join(directory, database === undefined ? "data" : `data-${i}`);
      const gateway = tortureGateway(main, { ...env, DATA_DIR: dataDir });
      closing.push(() => gateway.kill());
      // One after the other: the first fills the database.
      await gateway.start();
      gateways.push(gateway);
    }
    const file = join(directory, "data", "storage.sqlite");
    const books =
      database === undefined ? await openSqliteBooks(file) : await openPostgresBooks(database.url);
    closing.push(() => books.close());
    return {
      mode,
      gateways,
      redis,
      postgres: own,
      ledger: books.ledger,
      budgets: books.budgets,
      rows: books.rows,
      withQueue: (look) => (redis === undefined ? look(books.queue!) : inRedis(redis.url, look)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** 32 bytes. */
const SECRETS_KEY = Buffer.alloc(32, 5).toString("base64");

const PATIENCE_MS = 30_000;

interface Books extends Pick<TortureWorld, "ledger" | "budgets" | "rows"> {
  readonly queue?: SpendQueue;
  close(): Promise<void>;
}

async function openSqliteBooks(file: string): Promise<Books> {
  const db = await openQuotaDatabase({ file, lockWaitMs: PATIENCE_MS });
  const { ledger, budgets } = createSqliteSpendBooks(db);
  const queue = createSqliteSpendQueue(db);
  return {
    ledger,
    budgets,
    queue,
    rows: async (sql) => db.connection.prepare(sql).safeIntegers().all() as Record<string, unknown>[],
    async close() {
      for (const each of [queue, budgets, ledger]) await each.close();
      db.close();
    },
  };
}

async function openPostgresBooks(url: string): Promise<Books> {
  const db = await openPostgres({ url, timeoutMs: PATIENCE_MS });
  const { ledger, budgets } = await createPostgresSpendBooks(db);
  return {
    ledger,
    budgets,
    rows: (sql) => db.rows(sql),
    async close() {
      for (const each of [budgets, ledger]) await each.close();
      await db.close();
    },
  };
}

async function inRedis<Result>(url: string, look: (queue: SpendQueue) => Promise<Result>): Promise<Result> {
  const redis = await openRedis(url);
  const queue = await createRedisSpendQueue(redis, { timeoutMs: PATIENCE_MS });
  try {
    return await look(queue);
  } finally {
    await queue.close();
    redis.disconnect();
  }
}
