import type { Counter, Step, UsageStore } from "@quota/engine";
import { applyAdditions } from "./applyAdditions.js";
import { createCounterCache, type Cell } from "./counterCache.js";
import { forgetCounters } from "./forgetCounters.js";
import { groupCommit, type Outcome } from "./groupCommit.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { orStoreError } from "./orStoreError.js";
import { readCounters } from "./readCounters.js";

export interface SqliteUsageStoreOptions {
  /** How many counters are kept at hand (default 300 000: 60 MB if so many are in use); others are read again when they are asked for. */
  readonly maxCachedCounters?: number | undefined;
}

/**
 * Keeps usage in `quota_consumption`. Steps that wait together are decided one after the other on what the earlier ones
 * leave, and committed in one `BEGIN IMMEDIATE` transaction: what a caller has been told is in the file (`synchronous` NORMAL: it survives the
 * end of the process, not always that of the machine). Any number of processes may share the file.
 *
 * While a neighbour holds the file, steps wait without stopping the event loop, at most `lockWaitMs` of the database; then
 * they are rejected. The database is the caller's to close, after the store.
 *
 * @example
 * const db = await openQuotaDatabase({ file: ".data/storage.sqlite" });
 * const store = createSqliteUsageStore(db);
 */
export function createSqliteUsageStore(
  db: QuotaDatabase,
  { maxCachedCounters = 300_000 }: SqliteUsageStoreOptions = {},
): UsageStore {
  const { connection } = db;
  const neighbours = connection.prepare<[], number>("PRAGMA data_version").pluck();
  const ourselves = connection.prepare<[], number>("SELECT total_changes()").pluck();
  const cache = createCounterCache(connection, maxCachedCounters);
  /** What the two said when the cache was last in line with the file. */
  let seen: { neighbours?: number | undefined; ourselves?: number | undefined } = {};
  let changed: Cell[] = [];

  const steps = groupCommit<Step<unknown>, unknown>(db, {
    what: "usage store",
    begin: catchUp,
    run: take,
    end() {
      cache.write(changed);
      if (changed.length > 0) seen.ourselves = ourselves.get();
    },
    undone: () => cache.clear(),
    sizeOf: ({ counters }) => counters.length,
  });

  return {
    async transact<Result>(step: Step<Result>): Promise<Result> {
      steps.refuseWhenClosed();
      checkCounters(step.counters);
      return (await steps.add(step)) as Result;
    },

    async read(ledger, counters) {
      steps.refuseWhenClosed();
      return await orStoreError(db.file, () => readCounters(db, ledger, counters));
    },

    async forget(before) {
      steps.refuseWhenClosed();
      return await orStoreError(db.file, () => forgetCounters(db, before));
    },

    close: () => steps.close(),
  };

  /** Drops what is at hand if anybody else, in another process or on this connection, has written since. */
  function catchUp(): void {
    changed = [];
    cache.trim();
    const found = { neighbours: neighbours.get(), ourselves: ourselves.get() };
    if (found.neighbours !== seen.neighbours || found.ourselves !== seen.ourselves) cache.clear();
    seen = found;
  }

  /** Decides one step and adds what it says to the cells. A step that fails by itself changes nothing. */
  function take({ ledger, counters, now, decide }: Step<unknown>): Outcome<unknown> {
    const cells = cache.cellsOf(ledger, counters);
    const amounts = cells.map((cell, i) =>
      cell.expiresAt > now && (counters[i]?.expiresAt ?? now) > now ? cell.amount : 0,
    );
    try {
      const { result, additions } = decide(amounts);
      applyAdditions({ cells, counters, additions, now }, changed);
      return { answer: result };
    } catch (error) {
      return { refusal: error };
    }
  }
}

/** What SQLite cannot keep would fail the whole batch: it is turned away before it waits with others. */
function checkCounters(counters: readonly Counter[]): void {
  for (const { bucket, expiresAt } of counters)
    if (!Number.isSafeInteger(bucket) || !Number.isSafeInteger(expiresAt))
      throw new TypeError(
        `A counter's bucket and expiresAt must be whole numbers, not ${String(bucket)} and ${String(expiresAt)}.`,
      );
}
