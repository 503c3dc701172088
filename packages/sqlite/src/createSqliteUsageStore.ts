import { StoreError, type Counter, type Step, type UsageStore } from "@quota/engine";
import { applyAdditions } from "./applyAdditions.js";
import { createCounterCache, type Cell } from "./counterCache.js";
import { forgetCounters } from "./forgetCounters.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { orStoreError, storeError } from "./orStoreError.js";
import { backOffMs } from "./patiently.js";
import { readCounters } from "./readCounters.js";
import { isBusy } from "./sqliteFault.js";

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
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  const rollback = connection.prepare("ROLLBACK");
  const neighbours = connection.prepare<[], number>("PRAGMA data_version").pluck();
  const ourselves = connection.prepare<[], number>("SELECT total_changes()").pluck();
  const cache = createCounterCache(connection, maxCachedCounters);
  /** What the two said when the cache was last in line with the file. */
  let seen: { neighbours?: number | undefined; ourselves?: number | undefined } = {};

  let waiting: Waiting[] = [];
  let turn: "none" | "coming" = "none";
  /** Since when a neighbour has held the file, as far as we have seen. */
  let busy: { since: number; tries: number } | undefined;
  let closing: Promise<void> | undefined;
  let idle: (() => void) | undefined;

  return {
    async transact<Result>(step: Step<Result>): Promise<Result> {
      refuseWhenClosed();
      checkCounters(step.counters);
      return await new Promise<Result>((resolve, reject) => {
        waiting.push({
          step,
          resolve: resolve as (result: unknown) => void,
          reject,
          since: performance.now(),
        });
        if (turn === "coming") return;
        turn = "coming";
        // Nobody waits: at once, along with whoever asks in the same breath.
        queueMicrotask(serve);
      });
    },

    async read(ledger, counters) {
      refuseWhenClosed();
      return await orStoreError(db.file, () => readCounters(db, ledger, counters));
    },

    async forget(before) {
      refuseWhenClosed();
      return await orStoreError(db.file, () => forgetCounters(db, before));
    },

    async close() {
      await (closing ??= new Promise<void>((resolve) => {
        if (turn === "none") resolve();
        else idle = resolve;
      }));
    },
  };

  /** One batch; then, at the end of this turn of the loop, another, if anybody has come by then. */
  function serve(): void {
    if (waiting.length === 0) {
      turn = "none";
      idle?.();
      return;
    }
    try {
      db.checkInPlace();
      begin.run();
    } catch (error) {
      if (isBusy(error)) {
        waitForNeighbour(error);
        return;
      }
      rejectAll(waiting.splice(0), error);
      setImmediate(serve);
      return;
    }
    busy = undefined;
    serveBatch();
    setImmediate(serve);
  }

  function serveBatch(): void {
    const until = performance.now() + BATCH_MS;
    const changed: Cell[] = [];
    const answers: (() => void)[] = [];
    let taken = 0;
    let shown = 0;
    try {
      catchUp();
      for (const next of waiting) {
        taken += 1;
        shown += next.step.counters.length;
        answers.push(answerTo(next, changed));
        if (shown >= BATCH_COUNTERS || performance.now() >= until) break;
      }
      cache.write(changed);
      if (changed.length > 0) seen.ourselves = ourselves.get();
      // The last thing that can fail: what is rejected was not applied.
      commit.run();
    } catch (error) {
      undo();
      rejectAll(waiting.splice(0, taken), error);
      return;
    }
    waiting = waiting.length === taken ? [] : waiting.slice(taken);
    cache.trim();
    for (const answer of answers) answer();
  }

  /** Decides one step and adds what it says to the cells; how to answer once that is committed. A step that fails by itself changes nothing. */
  function answerTo({ step, resolve, reject }: Waiting, changed: Cell[]): () => void {
    const { ledger, counters, now, decide } = step;
    const cells = cache.cellsOf(ledger, counters);
    const amounts = cells.map((cell, i) =>
      cell.expiresAt > now && (counters[i]?.expiresAt ?? now) > now ? cell.amount : 0,
    );
    try {
      const { result, additions } = decide(amounts);
      applyAdditions({ cells, counters, additions, now }, changed);
      return () => resolve(result);
    } catch (error) {
      return () => reject(error);
    }
  }

  /** Drops what is at hand if anybody else, in another process or on this connection, has written since. */
  function catchUp(): void {
    const found = { neighbours: neighbours.get(), ourselves: ourselves.get() };
    if (found.neighbours !== seen.neighbours || found.ourselves !== seen.ourselves) cache.clear();
    seen = found;
  }

  function undo(): void {
    cache.clear();
    try {
      // SQLite has rolled back by itself after some errors, a full disk among them.
      if (connection.inTransaction) rollback.run();
    } catch {
      // What went wrong first is reported; a transaction that is still open makes the next BEGIN fail, which is reported too.
    }
  }

  function waitForNeighbour(error: unknown): void {
    const longAgo = performance.now() - db.lockWaitMs;
    busy ??= { since: performance.now(), tries: 0 };
    busy.tries += 1;
    if (busy.since <= longAgo) {
      const patient = waiting.findIndex(({ since }) => since > longAgo);
      rejectAll(waiting.splice(0, patient === -1 ? waiting.length : patient), error);
    }
    if (waiting.length === 0) serve();
    else setTimeout(serve, backOffMs(busy.tries));
  }

  function refuseWhenClosed(): void {
    if (closing) throw new StoreError(`The usage store on ${db.file} is closed.`, { applied: "no" });
  }

  function rejectAll(steps: readonly Waiting[], cause: unknown): void {
    for (const { reject } of steps) reject(storeError(db.file, cause));
  }
}

/** A step that has been asked for and not begun. */
interface Waiting {
  readonly step: Step<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** On the monotone clock. */
  readonly since: number;
}

/** A batch ends after the first step that passes one of these, so that neither the event loop nor a neighbour waits long. */
const BATCH_MS = 8;
const BATCH_COUNTERS = 4_096;

/** What SQLite cannot keep would fail the whole batch: it is turned away before it waits with others. */
function checkCounters(counters: readonly Counter[]): void {
  for (const { bucket, expiresAt } of counters)
    if (!Number.isSafeInteger(bucket) || !Number.isSafeInteger(expiresAt))
      throw new TypeError(
        `A counter's bucket and expiresAt must be whole numbers, not ${String(bucket)} and ${String(expiresAt)}.`,
      );
}
