import type { SpendEvent } from "@quota/core";
import type { SpendQueue } from "@quota/engine";

export const alice = { kind: "key", id: "alice" } as const;
export const team = { kind: "team", id: "red" } as const;

/** An event that alice and her team bear. */
export function spent(requestId: string, more: Partial<SpendEvent> = {}): SpendEvent {
  return {
    requestId,
    subjects: [alice, team],
    cost: 7,
    startedAt: 90_000,
    endedAt: 120_000,
    outcome: "answered",
    ...more,
  };
}

/** What alice and her team have waiting, and how many wait. */
export async function waitingIn(queue: SpendQueue): Promise<readonly [bigint, bigint, number]> {
  const { waiting } = await queue.backlog();
  return [await queue.hotSpend(alice), await queue.hotSpend(team), waiting];
}

/** Takes out all that waits, as a flusher does; the request ids in their order. */
export async function drained(queue: SpendQueue): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const { items } = await queue.peekSpend(100);
    if (items.length === 0) return ids;
    if (await queue.ackSpend(items[0]!.position, items.length))
      ids.push(...items.map(({ event }) => event.requestId));
  }
}
