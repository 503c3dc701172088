import type { SpendEvent, SpendSubject } from "@quota/core";
import type { SpendQueue } from "@quota/engine";
import { expect } from "vitest";

/** Everything that waits; none of it may be damaged. */
export async function waitingEvents(queue: SpendQueue): Promise<readonly SpendEvent[]> {
  const { items, damaged } = await queue.peekSpend(1_000);
  expect(damaged).toBeUndefined();
  return items.map(({ event }) => event);
}

/** Takes everything out, as a flusher whose ledger has it would. */
export async function ackAll(queue: SpendQueue): Promise<void> {
  const { items } = await queue.peekSpend(1_000);
  const [head] = items;
  if (head !== undefined) expect(await queue.ackSpend(head.position, items.length)).toBe(true);
}

/** The hot spend of each of these. */
export async function hotSpends(
  queue: SpendQueue,
  subjects: readonly SpendSubject[],
): Promise<readonly bigint[]> {
  return Promise.all(subjects.map(async (subject) => queue.hotSpend(subject)));
}
