import {
  currentBucket,
  decideFairShare,
  windowBuckets,
  type Allowed,
  type Deprioritized,
  type EpochMs,
  type Refused,
  type WindowShape,
} from "@quota/core";

/** One limit in one window, counted the way a store counts it, with a diary of what was admitted and when. */
export interface CountedWindow {
  /** Asks; what is admitted is counted at once. */
  ask(cost: number, now: EpochMs): Allowed | Deprioritized | Refused;
  /** The most that any true window of this length has held: (t − lengthMs, t] for every t. */
  most(lengthMs: number): number;
  readonly admitted: number;
}

/** A window of this shape under a ceiling. The policy is `burst`, so that the ceiling alone decides. */
export function countedWindow(shape: WindowShape, limit: number): CountedWindow {
  const counted = new Map<number, number>();
  const diary: { at: EpochMs; amount: number }[] = [];
  let admitted = 0;
  const dimension = { name: "requests/hourly", unit: "requests", window: "hourly", limit } as const;
  return {
    ask(cost, now) {
      const buckets = windowBuckets(shape, now);
      const use = { buckets, amounts: buckets.map(({ index }) => counted.get(index) ?? 0) };
      const question = { dimension, used: use, total: use, cost };
      const decision = decideFairShare({ policy: "burst", dimensions: [question] }, now);
      if (decision.allowed) {
        const bucket = currentBucket(shape.slotMs, now);
        counted.set(bucket, (counted.get(bucket) ?? 0) + cost);
        diary.push({ at: now, amount: cost });
        admitted += cost;
      }
      return decision;
    },
    most(lengthMs) {
      const inOrder = [...diary].sort((a, b) => a.at - b.at);
      let most = 0;
      let held = 0;
      let oldest = 0;
      for (const { at, amount } of inOrder) {
        held += amount;
        for (; inOrder[oldest]!.at <= at - lengthMs; oldest += 1) held -= inOrder[oldest]!.amount;
        most = Math.max(most, held);
      }
      return most;
    },
    get admitted() {
      return admitted;
    },
  };
}

/**
 * The worst that a client can do: everything in the last millisecond of a slot, then one request in every millisecond that has
 * room, until what was sent first leaves the true window.
 *
 * @returns the most that a true window has held.
 */
export function worstCase(shape: WindowShape, limit: number): number {
  const lengthMs = shape.slotMs * shape.slots;
  const window = countedWindow(shape, limit);
  const start = 100 * shape.slotMs - 1;
  for (let i = 0; i < limit; i += 1) window.ask(1, start);
  let now = start + 1;
  while (now < start + lengthMs) {
    const decision = window.ask(1, now);
    if (!decision.allowed) now = decision.retryAt ?? Infinity;
  }
  return window.most(lengthMs);
}
