import type { Counter, LedgerId } from "@quota/engine";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { patiently } from "./patiently.js";

/** How long one turn of the event loop reads at most. */
const TURN_MS = 10;

/** What the file holds of these counters, aligned; a long list is read over several turns of the event loop. */
export async function readCounters(
  db: QuotaDatabase,
  ledger: LedgerId,
  counters: readonly Counter[],
): Promise<readonly number[]> {
  const amount = db.connection
    .prepare<[string, string, number], number>(
      `SELECT cell.amount FROM quota_counters AS name JOIN quota_consumption AS cell ON cell.counter = name.counter
       WHERE name.ledger = ? AND name.id = ? AND cell.bucket = ?`,
    )
    .pluck();
  const amounts: number[] = [];
  while (amounts.length < counters.length) {
    await patiently(readSome, db.lockWaitMs);
    if (amounts.length < counters.length) await nextTurn();
  }
  return amounts;

  function readSome(): void {
    const until = performance.now() + TURN_MS;
    for (const { id, bucket } of counters.slice(amounts.length)) {
      amounts.push(amount.get(ledger, id, bucket) ?? 0);
      if (performance.now() > until) return;
    }
  }
}
