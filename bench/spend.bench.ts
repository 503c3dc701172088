import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Budget, SpendEvent, SpendSubject } from "@quota/core";
import { startSpendFlusher, type BudgetLedger, type SpendLedger, type SpendQueue } from "@quota/engine";
import { createDatabase, startPostgres } from "@quota/local-postgres";
import { startRedisServer } from "@quota/local-redis";
import { createPostgresSpendBooks, openPostgres } from "@quota/postgres";
import { createRedisSpendQueue, openRedis } from "@quota/redis";
import { createSqliteSpendBooks, createSqliteSpendQueue, openQuotaDatabase } from "@quota/sqlite";
import type { Redis } from "ioredis";
import { atOnce, throughput } from "./clocks.js";
import { inTurns, percentile } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";

const NOON = Date.UTC(2026, 2, 10, 12);
/** What one round hands in and carries over. */
const EVENTS = 20_000;
const WAITING = 1_000;
const MANY = 1_000_000;
const FEW = 10;
const BUDGET: Budget = {
  limit: 2 ** 53 - 1,
  period: "day",
  timeZone: "UTC",
  since: 0,
  whenUnpriced: "allow",
};
const alice: SpendSubject = { kind: "key", id: "alice" };
const folder = scratchFolder();
const numbers = { next: 0 };

const server = await startRedisServer();
const postgres = await startPostgres({ durable: true });

const redis = await openRedis(server.url);
const redisQueue = await createRedisSpendQueue(redis);
const enqueued = await redisEnqueue();

const file = await openQuotaDatabase({ file: join(folder, "spend.sqlite") });
const sqliteQueue = createSqliteSpendQueue(file);
const sqliteBooks = createSqliteSpendBooks(file);
const database = await createDatabase(postgres.url);
const db = await openPostgres({ url: database.url, timeoutMs: 60_000 });
const postgresBooks = await createPostgresSpendBooks(db);
const carried = await inTurns(
  {
    sqliteQueue: async () => {
      const perSecond = await handIn(sqliteQueue);
      await carry(sqliteQueue, sqliteBooks.ledger);
      return perSecond;
    },
    sqlite: async () => {
      await handIn(sqliteQueue);
      return carry(sqliteQueue, sqliteBooks.ledger);
    },
    postgres: async () => {
      await handIn(redisQueue);
      return carry(redisQueue, postgresBooks.ledger);
    },
  },
  { rounds: 7, warmUps: 2 },
);
const wakeUps = await idleWakeUps();

const sqliteChecks = await checks({
  few: await sqlitePending(FEW),
  many: await sqlitePending(MANY),
});
const postgresChecks = await checks({
  few: await postgresPending(FEW),
  many: await postgresPending(MANY),
});

for (const each of [sqliteQueue, redisQueue, sqliteBooks.budgets, sqliteBooks.ledger]) await each.close();
file.close();
redis.disconnect();
await db.close();
await postgres.stop();
await server.stop();

await saveResult("spend", [
  {
    work: "Redis enqueueSpend, one at a time, p50",
    unit: "ms",
    ours: {
      name: "enqueueSpend",
      value: enqueued.ours,
      guarantee:
        "3 subjects; checked, known ids refused, hot spend raised, one step, in Redis's memory before the answer; nothing appended to disk",
    },
    peer: { name: 'EVALSHA "return 1"', value: enqueued.script, guarantee: "one round trip, nothing done" },
    target: { of: "ratio", atMost: 1.6 },
  },
  {
    work: `SQLite enqueueSpend, ${WAITING} waiting`,
    unit: "per second",
    ours: {
      name: "enqueueSpend",
      value: carried.sqliteQueue,
      guarantee:
        "3 subjects; checked, known ids refused, hot spend raised; committed before the answer; WAL, synchronous NORMAL",
    },
    target: { of: "value", atLeast: 20_000 },
  },
  {
    work: "flush: SQLite queue → SQLite ledger, one file",
    unit: "per second",
    ours: {
      name: "startSpendFlusher",
      value: carried.sqlite,
      guarantee:
        "batches of 1000: peeked, parsed, committed once by id with all sums, acknowledged; WAL, synchronous NORMAL",
    },
    target: { of: "value", atLeast: 30_000 },
  },
  {
    work: "flush: Redis queue → PostgreSQL ledger",
    unit: "per second",
    ours: {
      name: "startSpendFlusher",
      value: carried.postgres,
      guarantee:
        "batches of 1000: peeked, parsed, committed once by id with all sums, acknowledged; fsync and synchronous_commit on",
    },
    target: { of: "value", atLeast: 10_000 },
  },
  {
    work: "looks of an idle flusher",
    unit: "per second",
    ours: { name: "peekSpend", value: wakeUps, guarantee: "what others hand in is seen within a second" },
    // A look more or less lies at the ends of what was measured.
    target: { of: "value", atMost: 1.1 },
  },
  check("SQLite", sqliteChecks, "one transaction; WAL, synchronous NORMAL"),
  check("PostgreSQL", postgresChecks, "one transaction; fsync and synchronous_commit on"),
]);

function eventOf(): SpendEvent {
  const i = (numbers.next += 1);
  return {
    requestId: `req_${i.toString(36).padStart(28, "0")}`,
    subjects: [
      { kind: "key", id: `key ${i % 50}` },
      { kind: "team", id: `team ${i % 5}` },
      { kind: "organisation", id: "acme" },
    ],
    cost: 1_000_000 + i,
    startedAt: NOON + (i % 3_600_000),
    endedAt: NOON + (i % 3_600_000) + 1_000,
    provider: "openai",
    connectionId: "seat",
    model: `model ${i % 4}`,
    tokens: { input: 1_000, cachedInput: 200, cacheWrite: 0, output: 300, reasoning: 50 },
    outcome: "answered",
  };
}

async function redisEnqueue(): Promise<{ readonly ours: number; readonly script: number }> {
  const peer = (await openRedis(server.url)) as Redis;
  const script = "return 1";
  const sha = createHash("sha1").update(script).digest("hex");
  await peer.script("LOAD", script);
  const medians = await inTurns(
    {
      script: () => median(300, () => peer.evalsha(sha, 0)),
      ours: () => median(300, () => redisQueue.enqueueSpend(eventOf(), NOON)),
    },
    { rounds: 30, warmUps: 10 },
  );
  peer.disconnect();
  await server.ask("FLUSHALL");
  return medians;
}

async function handIn(queue: SpendQueue): Promise<number> {
  const events = Array.from({ length: EVENTS }, eventOf);
  return throughput(EVENTS, (calls) => atOnce(WAITING, calls, (i) => queue.enqueueSpend(events[i]!, NOON)));
}

/** Events a second, from the first look to the last acknowledgement. */
async function carry(queue: SpendQueue, ledger: SpendLedger): Promise<number> {
  const began = performance.now();
  const flusher = startSpendFlusher({ queue, ledger });
  if ((await flusher.flush()) !== "drained") throw new Error("The flusher does not get on.");
  const perSecond = (flusher.status().added / (performance.now() - began)) * 1000;
  await flusher.stop();
  return perSecond;
}

async function idleWakeUps(): Promise<number> {
  const looks = { times: 0 };
  const queue: Pick<SpendQueue, "peekSpend" | "ackSpend"> = {
    ackSpend: (head, count) => redisQueue.ackSpend(head, count),
    peekSpend: (count) => {
      looks.times += 1;
      return redisQueue.peekSpend(count);
    },
  };
  const flusher = startSpendFlusher({ queue, ledger: postgresBooks.ledger });
  await flusher.flush();
  looks.times = 0;
  const began = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const perSecond = (looks.times / (performance.now() - began)) * 1000;
  await flusher.stop();
  return perSecond;
}

interface Pending {
  readonly budgets: BudgetLedger;
  readonly close: () => Promise<void>;
}

/** Rows of requests under way that are there before the budget is given: its sums are made from them. */
async function sqlitePending(rows: number): Promise<Pending> {
  const opened = await openQuotaDatabase({ file: join(folder, `pending-${rows}.sqlite`) });
  const books = createSqliteSpendBooks(opened);
  opened.connection
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO pending_spend (request_id, subjects, started_at, amount, lease_end)
       SELECT printf('other_%028d', i), '["key:alice"]', ?, 10, ? FROM n`,
    )
    .run(rows, NOON, NOON + 3_600_000);
  return made(books, rows, async () => opened.close());
}

async function postgresPending(rows: number): Promise<Pending> {
  const place = await createDatabase(postgres.url);
  const opened = await openPostgres({ url: place.url, timeoutMs: 120_000 });
  const books = await createPostgresSpendBooks(opened);
  await place.query(
    `INSERT INTO pending_spend (request_id, subjects, started_at, amount, lease_end)
     SELECT 'other_' || lpad(i::text, 28, '0'), ARRAY['key:alice'], $1::bigint, 10, $2::bigint FROM generate_series(1, $3::int) AS i`,
    [NOON, NOON + 3_600_000, rows],
  );
  await place.query("VACUUM ANALYZE pending_spend");
  return made(books, rows, () => opened.close());
}

async function made(
  { budgets, ledger }: { readonly budgets: BudgetLedger; readonly ledger: SpendLedger },
  rows: number,
  closeDatabase: () => Promise<void>,
): Promise<Pending> {
  await budgets.set(alice, BUDGET, NOON);
  const { pending } = (await budgets.standing(alice, NOON))!;
  if (pending !== BigInt(rows * 10)) throw new Error(`${pending} is pending, not that of ${rows} rows.`);
  return {
    budgets,
    async close() {
      await budgets.close();
      await ledger.close();
      await closeDatabase();
    },
  };
}

/** Milliseconds of one hold, in the median. */
async function checks(sides: Record<"few" | "many", Pending>): Promise<Record<"few" | "many", number>> {
  const holding = async ({ budgets }: Pending): Promise<number> => {
    const ids = Array.from({ length: 100 }, () => `req_${(numbers.next += 1)}`);
    let call = 0;
    const took = await median(ids.length, async () => {
      const requestId = ids[call++]!;
      const hold = { requestId, subjects: [alice], startedAt: NOON, estimate: 10, leaseEnd: NOON + 600_000 };
      const { allowed } = await budgets.hold(hold, NOON);
      if (!allowed) throw new Error("The budget is used up.");
    });
    for (const requestId of ids) await budgets.release(requestId);
    return took;
  };
  const medians = await inTurns(
    { few: () => holding(sides.few), many: () => holding(sides.many) },
    { rounds: 20, warmUps: 5 },
  );
  for (const side of Object.values(sides)) await side.close();
  return medians;
}

function check(store: string, { few, many }: Record<"few" | "many", number>, how: string): Measurement {
  return {
    work: `${store} budget check, p50`,
    unit: "ms",
    ours: {
      name: `hold, ${MANY} pending`,
      value: many,
      guarantee: `checked and held, as durable as the ledger; ${how}`,
    },
    peer: { name: `hold, ${FEW} pending`, value: few, guarantee: "the same" },
    target: { of: "ratio", atMost: 1.3 },
  };
}

async function median(calls: number, call: () => Promise<unknown>): Promise<number> {
  const waits: number[] = [];
  for (let i = 0; i < calls; i += 1) {
    const asked = performance.now();
    await call();
    waits.push(performance.now() - asked);
  }
  return percentile(waits, 0.5);
}
