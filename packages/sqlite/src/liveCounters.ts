import type { EpochMs } from "@quota/core";
import type { LedgerPart } from "@quota/engine";
import { setImmediate as nextTurn } from "node:timers/promises";
import { orStoreError } from "./orStoreError.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { patiently } from "./patiently.js";

/** How many counters one part has at most. */
const PART = 500;

/**
 * Everything that has been counted and has not expired at `now`, for whoever moves it to another store. A part is read at
 * one moment, but not all of them at the same: what is written meanwhile may be seen or not, so stop writing first.
 *
 * @throws {StoreError} when the file cannot be read.
 */
export async function* liveCounters(db: QuotaDatabase, now: EpochMs): AsyncGenerator<LedgerPart> {
  const ledgers = db.connection
    .prepare<[], string>("SELECT DISTINCT ledger FROM quota_counters ORDER BY ledger")
    .pluck();
  const rows = db.connection.prepare<[string, number, number, number, number], Row>(
    `SELECT name.counter, name.id, cell.bucket, cell.expires_at, cell.amount
     FROM quota_counters AS name JOIN quota_consumption AS cell ON cell.counter = name.counter
     WHERE name.ledger = ? AND cell.expires_at > ? AND cell.amount <> 0 AND (name.counter, cell.bucket) > (?, ?)
     ORDER BY name.counter, cell.bucket LIMIT ?`,
  );
  const read = <Rows>(ask: () => Rows): Promise<Rows> =>
    orStoreError(db.file, () => patiently(ask, db.lockWaitMs));

  for (const ledger of await read(() => ledgers.all())) {
    let after: Pick<Row, "counter" | "bucket"> = { counter: 0, bucket: 0 };
    for (;;) {
      const { counter, bucket } = after;
      const part = await read(() => rows.all(ledger, now, counter, bucket, PART));
      const last = part.at(-1);
      if (last === undefined) break;
      yield {
        ledger,
        counters: part.map(({ id, bucket: index, expires_at }) => ({
          id,
          bucket: index,
          expiresAt: expires_at,
        })),
        amounts: part.map(({ amount }) => amount),
      };
      if (part.length < PART) break;
      after = last;
      await nextTurn();
    }
  }
}

interface Row {
  readonly counter: number;
  readonly id: string;
  readonly bucket: number;
  readonly expires_at: number;
  readonly amount: number;
}
