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
  const named = db.connection
    .prepare<[string, string, number, number], [bucket: number, amount: number]>(
      `SELECT cell.bucket, cell.amount FROM quota_counters AS name JOIN quota_consumption AS cell ON cell.counter = name.counter
       WHERE name.ledger = ? AND name.id = ? AND cell.bucket BETWEEN ? AND ?`,
    )
    .raw();
  const amounts: number[] = [];
  // One reading of the file a turn: by itself, each query would lock and unlock it, which takes longer than to read.
  const readSome = db.connection.transaction(readUntilTurned);
  while (amounts.length < counters.length) {
    await patiently(readSome, db.lockWaitMs);
    if (amounts.length < counters.length) await nextTurn();
  }
  return amounts;

  function readUntilTurned(): void {
    const until = performance.now() + TURN_MS;
    while (amounts.length < counters.length && performance.now() <= until) readNeighbours();
  }

  /** The next counter, and those behind it that are other buckets of the same id: a window is read at once. */
  function readNeighbours(): void {
    const first = amounts.length;
    const { id } = counters[first]!;
    let end = first;
    let from = Infinity;
    let to = -Infinity;
    for (; counters[end]?.id === id; end += 1) {
      from = Math.min(from, counters[end]!.bucket);
      to = Math.max(to, counters[end]!.bucket);
    }
    const rows = named.all(ledger, id, from, to);
    for (let i = first; i < end; i += 1) {
      const { bucket } = counters[i]!;
      amounts.push(rows.find(([stored]) => stored === bucket)?.[1] ?? 0);
    }
  }
}
