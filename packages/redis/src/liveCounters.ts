import type { EpochMs } from "@quota/core";
import type { Counter, CounterId, LedgerPart } from "@quota/engine";
import { idOfField, ledgerOfTag } from "./ledgerNames.js";
import { positiveWhole } from "./positiveWhole.js";
import { primariesOf } from "./primariesOf.js";
import type { RedisClient } from "./redisClient.js";
import { storeFault } from "./storeFault.js";
import { within } from "./within.js";

/** How many counters one part has at most. */
const PART = 500;
/** A hash that somebody has taken the end from is given this one. */
const LOST_END_MS = 86_400_000;

/**
 * Everything that has been counted under a prefix, for whoever moves it to another store; stop writing first. It looks through
 * all keys of the database, other programs' as well, so it is for rare occasions. The counters of one bucket share an end in Redis, so
 * one of them may be given a later end than it was written with.
 *
 * @param options.prefix as the store's. @throws {StoreError} when the server does not answer.
 */
export async function* liveCounters(
  redis: RedisClient,
  options: { readonly prefix?: string | undefined; readonly timeoutMs?: number | undefined },
  now: EpochMs,
): AsyncGenerator<LedgerPart> {
  const { prefix = "quota:" } = options;
  const timeoutMs = positiveWhole("timeoutMs", options.timeoutMs ?? 2_000);
  const ask = async <Reply>(reply: Promise<unknown>): Promise<Reply> => {
    try {
      return (await within(reply, timeoutMs)) as Reply;
    } catch (cause) {
      throw storeFault(cause, "stayed");
    }
  };

  for (const node of primariesOf(redis)) {
    let cursor = "0";
    do {
      const [next, keys] = await ask<readonly [string, readonly string[]]>(
        node.call("scan", cursor, "match", `${escapedGlob(prefix)}{*}:*`, "count", "1000", "type", "hash"),
      );
      cursor = next;
      for (const key of keys) yield* partsOf(key);
    } while (cursor !== "0");
  }

  async function* partsOf(key: string): AsyncGenerator<LedgerPart> {
    const [, tag, bucket] = /^\{([^{}]*)\}:(-?\d+)$/.exec(key.slice(prefix.length)) ?? [];
    if (tag === undefined || bucket === undefined) return;
    const left = await ask<number>(redis.call("pttl", key));
    const expiresAt = now + (left < 0 ? LOST_END_MS : left);
    const held = await amountsIn(key);
    const counters = [...held.keys()].map((id): Counter => ({ id, bucket: Number(bucket), expiresAt }));
    const amounts = [...held.values()];
    for (let from = 0; from < counters.length; from += PART)
      yield {
        ledger: ledgerOfTag(tag),
        counters: counters.slice(from, from + PART),
        amounts: amounts.slice(from, from + PART),
      };
  }

  /** A scan may name a field twice. */
  async function amountsIn(key: string): Promise<ReadonlyMap<CounterId, number>> {
    const amounts = new Map<CounterId, number>();
    let at = "0";
    do {
      const [next, flat] = await ask<readonly [string, readonly string[]]>(
        redis.call("hscan", key, at, "count", "1000"),
      );
      at = next;
      for (let i = 0; i + 1 < flat.length; i += 2) {
        const amount = Number(flat[i + 1]);
        if (amount !== 0) amounts.set(idOfField(flat[i]!), amount);
      }
    } while (at !== "0");
    return amounts;
  }
}

/** A prefix is text, whatever it contains. */
function escapedGlob(text: string): string {
  return text.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
}
