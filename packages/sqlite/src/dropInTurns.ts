import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuotaDatabase } from "./openQuotaDatabase.js";

/** How many rows one transaction drops, so that neither the event loop nor a neighbour waits long. */
const ROWS_PER_TURN = 500;

/**
 * Drops rows, a few in each transaction; how many in all.
 *
 * @param dropSome Drops at most so many; how many it did. Fewer: there are no more.
 */
export async function dropInTurns(db: QuotaDatabase, dropSome: (count: number) => number): Promise<number> {
  let dropped = 0;
  for (;;) {
    const rows = await db.write(() => dropSome(ROWS_PER_TURN));
    dropped += rows;
    if (rows < ROWS_PER_TURN) return dropped;
    await nextTurn();
  }
}
