import type { EpochMs } from "@quota/core";
import { dropInTurns } from "./dropInTurns.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";

/** Drops the details of events that ended before this moment, oldest first; how many. Sums and known ids stay. */
export async function purgeSpend(db: QuotaDatabase, before: EpochMs): Promise<number> {
  const drop = db.connection.prepare<[number, number]>(
    `DELETE FROM spend_events WHERE event IN
     (SELECT event FROM spend_events WHERE ended_at < ? ORDER BY ended_at LIMIT ?)`,
  );
  return await dropInTurns(db, (count) => drop.run(before, count).changes);
}
