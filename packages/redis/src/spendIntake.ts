import { subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import { StoreError } from "@quota/engine";
import { digestOf, type SpendKeys } from "./spendKeys.js";
import { spendWords } from "./spendEntry.js";

/** Hands events in; those that come in one turn of the loop go in one call. */
export interface SpendIntake {
  take(event: SpendEvent, now: EpochMs): Promise<"queued" | "known">;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** Runs `enqueueSpend.lua`: what it replies after its token, or a {@link StoreError}. */
export type SendSpend = (message: SpendMessage) => Promise<readonly string[]>;

interface SpendMessage {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

interface Waiting extends SpendMessage {
  readonly resolve: (said: "queued" | "known") => void;
  readonly reject: (error: StoreError) => void;
}

/** A script holds up everybody's commands: this many events take about half a millisecond. */
const MOST_AT_ONCE = 64;

export function createSpendIntake(keys: SpendKeys, send: SendSpend): SpendIntake {
  let waiting: Waiting[] = [];
  const underWay = new Set<Promise<void>>();

  return {
    take: async (event, now) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(sendAll);
        waiting.push({ ...messageOf(keys, event, now), resolve, reject });
      }),
    async idle() {
      while (waiting.length > 0 || underWay.size > 0) {
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.all(underWay);
      }
    },
  };

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += MOST_AT_ONCE) {
      const sent = sendOne(all.slice(from, from + MOST_AT_ONCE)).finally(() => underWay.delete(sent));
      underWay.add(sent);
    }
  }

  async function sendOne(batch: readonly Waiting[]): Promise<void> {
    try {
      const replies = await send({
        keys: [keys.stream, keys.waiting, ...batch.flatMap((each) => each.keys)],
        args: batch.flatMap((each) => each.args),
      });
      batch.forEach(({ resolve, reject }, i) => {
        const said = replies[i];
        if (said === "queued" || said === "known") resolve(said);
        else
          reject(new StoreError(`Redis failed: ${String(said).replace(/^fault /, "")}.`, { applied: "no" }));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error as StoreError);
    }
  }
}

function messageOf(keys: SpendKeys, event: SpendEvent, now: EpochMs): SpendMessage {
  const digest = digestOf(event.requestId);
  const { beside, raw, cost, minute } = spendWords(event, now);
  const hashes = cost === "0" ? [] : event.subjects.map((subject) => keys.hotOf(subjectName(subject)));
  return {
    keys: [...keys.shardOf(digest), ...hashes],
    args: [digest, event.requestId, beside, raw, cost, minute, String(hashes.length)],
  };
}
