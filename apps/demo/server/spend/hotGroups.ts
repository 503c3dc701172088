import type { SpendEvent } from "@quota/core";
import type { SpendAsked, SpendGrouping, SpendQueue } from "@quota/engine";

/** What waits in the queue, in the groups of a question; money that is not in the ledger yet. */
export interface HotGroups {
  /** Undefined where the queue cannot tell by this grouping. */
  of(group: string | undefined): Promise<bigint | undefined>;
  /** Groups that something waits for, as far as was looked. */
  readonly groups: readonly (string | undefined)[];
}

/** How many of the oldest are looked at, one by one. Where more wait, sums are asked for instead, which know no models and no days. */
const LOOKED_AT = 1_000;

/** @throws {StoreError} where the queue cannot be read. */
export async function hotGroups(
  queue: Pick<SpendQueue, "peekSpend" | "hotSpend">,
  { groupBy, from, to }: Pick<SpendAsked, "groupBy" | "from" | "to">,
): Promise<HotGroups> {
  const { items, damaged } = await queue.peekSpend(LOOKED_AT);
  const sums = new Map<string | undefined, bigint>();
  for (const { event } of items) {
    if (event.endedAt < from || event.endedAt >= to) continue;
    const group = groupOf(event, groupBy);
    sums.set(group, (sums.get(group) ?? 0n) + (event.cost === "unpriced" ? 0n : BigInt(event.cost)));
  }
  const isAll = items.length < LOOKED_AT && damaged === undefined;
  return {
    groups: [...sums.keys()],
    async of(group) {
      if (isAll) return sums.get(group) ?? 0n;
      if (group === undefined || groupBy === "model" || groupBy === "day") return undefined;
      return queue.hotSpend({ kind: groupBy, id: group });
    },
  };
}

function groupOf({ subjects, model, endedAt }: SpendEvent, groupBy: SpendGrouping): string | undefined {
  if (groupBy === "model") return model;
  if (groupBy === "day") return new Date(endedAt).toISOString().slice(0, 10);
  return subjects.find(({ kind }) => kind === groupBy)?.id;
}
