import { parseSpendEvent, subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import { InvalidInputError } from "./invalidInputError.js";
import type { DamagedSpend, SpendItem, SpendQueue } from "./spendQueue.js";
import { StoreError } from "./storeError.js";

/** A {@link SpendQueue} of this process, whose items may be spoiled. */
export interface MemorySpendQueue extends SpendQueue {
  /**
   * Puts another text in place of what is kept of the item that is `index` behind the head, as a fault of a disk would. For tests: what the queue
   * knows apart from the text, its amounts and its request id, stays.
   *
   * @throws {RangeError} where none waits there.
   */
  spoil(index: number, raw: string): void;
}

/** What waits, and what it had added to the hot spend, which the text need not be read for. */
interface Waiting {
  readonly position: string;
  readonly requestId: string;
  raw: string;
  readonly subjects: readonly string[];
  readonly cost: bigint;
  readonly minute: Minute;
  readonly at: EpochMs;
}

/** The whole minute that a request started in. */
type Minute = EpochMs | "unknown";

const MINUTE_MS = 60_000;

/**
 * Keeps events in this process: the reference for every other queue. What waits ends with the process.
 *
 * It has no clock: an id counts as acknowledged at the latest moment that the queue had been told of by then.
 *
 * @example
 * const queue = createMemorySpendQueue();
 * await queue.enqueueSpend(event, Date.now());
 */
export function createMemorySpendQueue(): MemorySpendQueue {
  let waiting: Waiting[] = [];
  const known = new Map<string, EpochMs | "waiting">();
  const hot = new Map<string, Map<Minute, bigint>>();
  let handedIn = 0;
  let latest: EpochMs = 0;
  let closed = false;

  return {
    sharedBy: "one-process",

    async enqueueSpend(event, now) {
      refuseWhenClosed();
      const parsed = parseSpendEvent(event);
      if (!parsed.ok) throw new InvalidInputError(parsed.faults);
      const { requestId, subjects, cost, startedAt } = parsed.value;
      latest = Math.max(latest, now);
      if (known.has(requestId)) return "known";
      handedIn += 1;
      const item: Waiting = {
        position: String(handedIn),
        requestId,
        raw: JSON.stringify(parsed.value),
        subjects: subjects.map(subjectName),
        cost: cost === "unpriced" ? 0n : BigInt(cost),
        minute: startedAt === undefined ? "unknown" : startedAt - (startedAt % MINUTE_MS),
        at: now,
      };
      known.set(requestId, "waiting");
      waiting.push(item);
      raise(item, item.cost);
      return "queued";
    },

    async peekSpend(count) {
      refuseWhenClosed();
      const items: SpendItem[] = [];
      for (const item of waiting.slice(0, count)) {
        const read = readItem(item);
        if ("why" in read) return { items, damaged: read };
        items.push(read);
      }
      return { items };
    },

    async ackSpend(head, count) {
      refuseWhenClosed();
      if (waiting[0]?.position !== head) return false;
      for (const item of waiting.slice(0, count)) {
        raise(item, -item.cost);
        known.set(item.requestId, latest);
      }
      waiting = waiting.slice(count);
      return true;
    },

    async hotSpend(subject) {
      refuseWhenClosed();
      return sum(hot.get(subjectName(subject))?.values() ?? []);
    },

    async hotSpendSince(subject, periodStart) {
      refuseWhenClosed();
      const minutes = [...(hot.get(subjectName(subject)) ?? [])];
      return sum(
        minutes
          .filter(([minute]) => minute === "unknown" || minute >= periodStart)
          .map(([, amount]) => amount),
      );
    },

    async backlog() {
      refuseWhenClosed();
      return { waiting: waiting.length, oldestAt: waiting[0]?.at };
    },

    async forgetAcknowledged(before) {
      refuseWhenClosed();
      const forgotten = [...known].filter(([, at]) => at !== "waiting" && at < before);
      for (const [requestId] of forgotten) known.delete(requestId);
      return forgotten.length;
    },

    async close() {
      closed = true;
      waiting = [];
    },

    spoil(index, raw) {
      const item = waiting[index];
      if (item === undefined) throw new RangeError(`Nothing waits ${String(index)} behind the head.`);
      item.raw = raw;
    },
  };

  function raise({ subjects, minute }: Waiting, by: bigint): void {
    for (const subject of subjects) {
      const minutes = hot.get(subject) ?? new Map<Minute, bigint>();
      const amount = (minutes.get(minute) ?? 0n) + by;
      if (amount === 0n) minutes.delete(minute);
      else minutes.set(minute, amount);
      if (minutes.size === 0) hot.delete(subject);
      else hot.set(subject, minutes);
    }
  }

  function refuseWhenClosed(): void {
    if (closed) throw new StoreError("The memory spend queue is closed.", { applied: "no" });
  }
}

function readItem({ position, requestId, raw }: Waiting): SpendItem | DamagedSpend {
  const damaged = (why: string): DamagedSpend => ({ position, raw, requestId, why });
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return damaged(`It is no JSON: ${error.message}.`);
  }
  const parsed = parseSpendEvent(value);
  if (!parsed.ok) return damaged(parsed.faults.map(({ message }) => message).join(" "));
  const event: SpendEvent = parsed.value;
  if (event.requestId !== requestId)
    return damaged(`It was handed in as ${JSON.stringify(requestId)} and names another request.`);
  return { position, raw, event };
}

function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
}
