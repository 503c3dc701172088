import type { EpochMs } from "@quota/core";
import { dropInTurns } from "./dropInTurns.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";

/** Drops the ids that a spend queue remembers and that were acknowledged before this moment, oldest first; how many. */
export async function forgetSpendIds(db: QuotaDatabase, before: EpochMs): Promise<number> {
  const { connection } = db;
  const lastBefore = connection
    .prepare<[number], number>(
      "SELECT position FROM spend_queue_acks WHERE acknowledged_at < ? ORDER BY acknowledged_at DESC, position DESC LIMIT 1",
    )
    .pluck();
  const dropIds = connection.prepare<[number, number]>(
    `DELETE FROM spend_queue_ids WHERE position IN
     (SELECT position FROM spend_queue_ids WHERE position <= ? ORDER BY position LIMIT ?)`,
  );
  const dropAcks = connection.prepare<[number]>("DELETE FROM spend_queue_acks WHERE position <= ?");
  return await dropInTurns(db, (count) => {
    const last = lastBefore.get(before);
    if (last === undefined) return 0;
    const { changes } = dropIds.run(last, count);
    if (changes < count) dropAcks.run(last);
    return changes;
  });
}
