import type { EpochMs } from "@quota/core";
import { dropInTurns } from "./dropInTurns.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";

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
  return await dropInTurns(db, (count) => {
    const counters = dropRows.all(before, count);
    for (const counter of new Set(counters)) dropName.run(counter, counter);
    return counters.length;
  });
}
