import { writeSync } from "node:fs";
import type { SpendEvent } from "@quota/core";
import type { SpendQueue } from "@quota/engine";
import {
  backupTo,
  createSqliteSpendBooks,
  createSqliteSpendQueue,
  createSqliteUsageStore,
  openQuotaDatabase,
  QuotaDatabaseError,
  type QuotaDatabase,
} from "../../src/index.js";
import { counterOf, take } from "../takeStep.js";

/** One process of several that share a file: `node quotaProcess.js <command> <file> …`. What it has to say is lines of JSON. */
const [command, file = "", ...rest] = process.argv.slice(2);
const [first = 0, second = 0] = rest.map(Number);

// As another user: the driver is loaded before, since that user need not be able to read the place it is in.
const uid = Number(process.env["RUN_AS_UID"] ?? NaN);
if (!Number.isNaN(uid)) {
  const { default: Driver } = await import("better-sqlite3");
  new Driver(":memory:").close();
  process.setgid?.(uid);
  process.setuid?.(uid);
}

try {
  const db = await openQuotaDatabase({ file, lockWaitMs: 20_000 });
  await run(db);
  db.close();
} catch (error) {
  if (!(error instanceof QuotaDatabaseError)) throw error;
  const { code, path, message, remedy } = error;
  say({ code, path, message, remedy, cause: String(error.cause) });
}

async function run(db: QuotaDatabase): Promise<void> {
  const store = createSqliteUsageStore(db);
  switch (command) {
    case "open":
      say({ opened: file });
      break;
    case "consume":
      await settled(first, 1, async () => {
        await take(store, { ceiling: Infinity });
      });
      break;
    // Asks, `second` at a time, until each caller has been refused once.
    case "grant": {
      let granted = 0;
      await settled(second, second, async () => {
        while (await take(store, { ceiling: first })) granted += 1;
      });
      say({ granted });
      break;
    }
    // Counts until it is killed, 16 at a time; what it says was acknowledged.
    case "burst": {
      let acknowledged = 0;
      await settled(16, 16, async () => {
        for (;;) {
          await take(store, { ceiling: Infinity });
          acknowledged += 1;
          say({ acknowledged });
        }
      });
      break;
    }
    // Hands events in until it is killed, 16 at a time; what it says was acknowledged.
    case "spend": {
      const queue = createSqliteSpendQueue(db);
      let acknowledged = 0;
      await settled(16, 16, async () => {
        for (;;) {
          await queue.enqueueSpend(eventOf(crypto.randomUUID()), 0);
          acknowledged += 1;
          say({ acknowledged });
        }
      });
      break;
    }
    // Carries events to the ledger until it is killed, or, asked to, until there are none.
    case "flush": {
      const queue = createSqliteSpendQueue(db);
      while ((await flush(queue, db)) > 0 || first > 0) say({ flushed: true });
      break;
    }
    case "backup":
      await backupTo(db, rest[0] ?? "");
      break;
    case "read":
      say({ amounts: await store.read("ledger", [counterOf("everyone")]) });
      break;
    default:
      throw new Error(`There is no command ${String(command)}.`);
  }
  await store.close();
}

async function flush(queue: SpendQueue, db: QuotaDatabase): Promise<number> {
  const { items } = await queue.peekSpend(50);
  const [head] = items;
  if (head === undefined) return 0;
  await createSqliteSpendBooks(db).ledger.commit(
    items.map(({ event }) => event),
    0,
  );
  await queue.ackSpend(head.position, items.length);
  return items.length;
}

function eventOf(requestId: string): SpendEvent {
  return {
    requestId,
    subjects: [{ kind: "key", id: "alice" }],
    cost: 3,
    startedAt: 0,
    endedAt: 0,
    outcome: "answered",
  };
}

/** Runs a piece of work `times` times, so many at once, and says how many failed. */
async function settled(times: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let begun = 0;
  const errors: string[] = [];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (begun < times) {
        begun += 1;
        await work().catch((error: unknown) => errors.push(String(error)));
      }
    }),
  );
  say({ errors });
}

function say(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
