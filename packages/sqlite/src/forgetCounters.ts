import type { EpochMs } from "@quota/core";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuotaDatabase } from "./openQuotaDatabase.js";

/** How many rows one transaction drops, so that neither the event loop nor a neighbour waits long. */
const ROWS_PER_TURN = 500;

/** Drops the rows that expired before this moment, oldest first, and the names that have no rows left; how many rows. */
export async function forgetCounters(db: QuotaDatabase, before: EpochMs): Promise<number> {
  const dropRows = db.connection
    .prepare<[number, number], number>(
      `DELETE FROM quota_consumption WHERE (counter, bucket) IN
       (SELECT counter, bucket FROM quota_consumption WHERE expires_at < ? ORDER BY expires_at LIMIT ?)
       RETURNING counter`,
    )
    .pluck();
  const dropName = db.connection.prepare<[number, number]>(
    `DELETE FROM quota_counters WHERE counter = ? AND NOT EXISTS
     (SELECT 1 FROM quota_consumption WHERE counter = ?)`,
  );
  let dropped = 0;
  for (;;) {
    const names = await db.write(() => {
      const counters = dropRows.all(before, ROWS_PER_TURN);
      for (const counter of new Set(counters)) dropName.run(counter, counter);
      return counters;
    });
    dropped += names.length;
    if (names.length < ROWS_PER_TURN) return dropped;
    await nextTurn();
  }
}
