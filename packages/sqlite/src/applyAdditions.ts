import { StoreError, type Counter } from "@quota/engine";
import type { EpochMs } from "@quota/core";
import type { Cell } from "./counterCache.js";

/**
 * Adds what a verdict says to the cells, all of it or (throwing) none, and lists the cells that have changed for writing.
 * What is added to a counter that has expired is gone with it.
 *
 * @throws {TypeError} for additions that do not fit the counters. @throws {StoreError} for a sum past 2^53 − 1.
 */
export function applyAdditions(
  {
    cells,
    counters,
    additions,
    now,
  }: {
    readonly cells: readonly Cell[];
    readonly counters: readonly Counter[];
    readonly additions: readonly number[];
    readonly now: EpochMs;
  },
  changed: Cell[],
): void {
  checkAdditions(additions, counters.length);
  const before: { readonly cell: Cell; readonly amount: number; readonly expiresAt: EpochMs }[] = [];
  let i = -1;
  for (const cell of cells) {
    i += 1;
    const addition = additions[i] ?? 0;
    const expiresAt = counters[i]?.expiresAt ?? now;
    if (addition === 0 || expiresAt <= now) continue;
    const amount = (cell.expiresAt > now ? cell.amount : 0) + addition;
    if (!Number.isSafeInteger(amount)) {
      // From the end: a counter that is shown twice goes back to where it was first.
      for (const { cell: undone, ...was } of before.reverse()) Object.assign(undone, was);
      throw new StoreError(`additions[${String(i)}] would take the counter past 2^53 − 1.`, {
        applied: "no",
      });
    }
    before.push({ cell, amount: cell.amount, expiresAt: cell.expiresAt });
    cell.amount = amount;
    if (expiresAt > cell.expiresAt) cell.expiresAt = expiresAt;
    if (cell.changed) continue;
    cell.changed = true;
    changed.push(cell);
  }
}

function checkAdditions(additions: readonly number[], length: number): void {
  if (!Array.isArray(additions) || additions.length !== length)
    throw new TypeError(`decide must return ${String(length)} additions, one for each counter.`);
  for (let i = 0; i < length; i += 1)
    if (!Number.isSafeInteger(additions[i]))
      throw new TypeError(
        `additions[${String(i)}] is ${String(additions[i])}; decide must add whole numbers.`,
      );
}
