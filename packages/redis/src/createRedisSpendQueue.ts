import { parseSpendEvent, subjectName, type SpendSubject } from "@quota/core";
import {
  InvalidInputError,
  StoreError,
  type DamagedSpend,
  type SpendItem,
  type SpendQueue,
} from "@quota/engine";
import { randomBytes } from "node:crypto";
import ackSpend from "./ackSpend.lua";
import { checkRedisClient } from "./checkRedisClient.js";
import { checkRedisServer } from "./checkRedisServer.js";
import { departure } from "./departure.js";
import enqueueSpend from "./enqueueSpend.lua";
import { positiveWhole } from "./positiveWhole.js";
import { prefixOf } from "./prefixOf.js";
import type { RedisClient } from "./redisClient.js";
import { runScript, scriptOf, type Script } from "./runScript.js";
import { spendAck } from "./spendAck.js";
import {
  MINUTE_MS,
  positionOf,
  readSpendEntry,
  spendEntry,
  UNKNOWN_MINUTE,
  type SpendEntry,
} from "./spendEntry.js";
import { createSpendIntake } from "./spendIntake.js";
import { spendKeys } from "./spendKeys.js";
import { storeFault } from "./storeFault.js";
import { within } from "./within.js";

export interface RedisSpendQueueOptions {
  /** Begins every key, so that other programs may use the same database (default `quota:`). Without `{` and `}`. */
  readonly prefix?: string | undefined;
  /** Which queue, of several under one prefix (default `main`). */
  readonly name?: string | undefined;
  /** After how many milliseconds a call is given up (default 2000). */
  readonly timeoutMs?: number | undefined;
  /**
   * How long a request id is remembered after its event was acknowledged, in milliseconds: at least this, at most twice this (default one
   * hour). The same in every process that shares the queue. An id takes some 30 bytes of Redis meanwhile,
   * for as long as no more than two million are acknowledged in that time.
   */
  readonly rememberMs?: number | undefined;
  /** Hears, once at the start, of a server that evicts keys when it is full: what waits there may be lost. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/**
 * A spend queue in Redis (6.2, 7 or newer), Valkey or a cluster of either, shared by any number of processes. An event is handed in by one
 * short script in one round trip; events that are handed in within one turn of the loop share it.
 *
 * **What "queued" promises.** Redis has the event in memory. It waits neither for the disk nor for a replica: with `appendonly no` whatever
 * waits is lost when the server ends, with `appendfsync everysec` up to a second of it at a loss of power, with `appendfsync always` nothing. A
 * failover loses what the replica had not heard of (`min-replicas-to-write` bounds that, nothing in Redis excludes it). Set
 * `maxmemory-policy noeviction`, or a full server throws away money that waits.
 *
 * **After a failure.** An event whose reply was lost (`applied: "unknown"`) may be handed in again: a `requestId` counts once, for as long as it waits and for
 * `rememberMs` after it was acknowledged. A repeat that comes later still is queued again, and it is the ledger that drops it. `ackSpend` may be
 * asked again as well: it does nothing once the queue has moved on.
 *
 * The client is the caller's: made with {@link openRedis}, or with the settings of {@link redisClientOptions}; closed after the queue.
 *
 * @throws {QuotaConfigError} for an option out of range, a client that would send a step twice or queue steps for a server that
 *   is away, and a server that is none of the above. @throws {StoreError} when the server does not answer.
 * @example
 * const redis = await openRedis("redis://localhost:6379");
 * const queue = await createRedisSpendQueue(redis);
 */
export async function createRedisSpendQueue(
  redis: RedisClient,
  options: RedisSpendQueueOptions = {},
): Promise<SpendQueue> {
  const keys = spendKeys(prefixOf(options), options.name ?? "main");
  const timeoutMs = positiveWhole("timeoutMs", options.timeoutMs ?? 2_000);
  const rememberMs = positiveWhole("rememberMs", options.rememberMs ?? 3_600_000);
  checkRedisClient(redis);
  const scripts = { enqueue: scriptOf(enqueueSpend), ack: scriptOf(ackSpend) };
  const process = randomBytes(6).toString("base64url");
  let calls = 0;
  let closed = false;
  /** What was peeked at last: whoever acknowledges it need not read it again. An item never changes. */
  let seen: readonly SpendEntry[] = [];

  // What happens to the connection reaches whoever waits for a reply. Without a listener it would be written to the console, too.
  redis.on("error", ignore);
  try {
    await checkRedisServer(redis, {
      timeoutMs,
      onWarning: options.onWarning,
      atStake: "spend that is evicted before the ledger has it is money lost",
    });
  } catch (error) {
    redis.off("error", ignore);
    throw error;
  }
  const intake = createSpendIntake(keys, (message) => run(scripts.enqueue, message));

  return {
    sharedBy: "many-machines",

    async enqueueSpend(event, now) {
      refuseWhenClosed();
      const parsed = parseSpendEvent(event);
      if (!parsed.ok) throw new InvalidInputError(parsed.faults);
      return intake.take(parsed.value, now);
    },

    async peekSpend(count) {
      refuseWhenClosed();
      seen = await entries(count);
      const items: SpendItem[] = [];
      for (const entry of seen) {
        const read: SpendItem | DamagedSpend = readSpendEntry(entry);
        if ("why" in read) return { items, damaged: read };
        items.push(read);
      }
      return { items };
    },

    async ackSpend(head, count) {
      refuseWhenClosed();
      const isHead = (entry: SpendEntry | undefined): boolean =>
        entry !== undefined && positionOf(entry) === head;
      const known = seen.length >= count && isHead(seen[0]) ? seen : await entries(Math.max(1, count));
      const [first, ...rest] = known;
      if (first === undefined || !isHead(first)) return false;
      if (count < 1) return true;
      const taken = spendAck([first, ...rest.slice(0, count - 1)], { keys, rememberMs });
      const [done] = await run(scripts.ack, taken);
      return done === "1";
    },

    hotSpend: (subject) => hotSince(subject, 0),

    hotSpendSince: (subject, periodStart) => hotSince(subject, Math.floor(periodStart / MINUTE_MS)),

    async backlog() {
      refuseWhenClosed();
      const [waiting, [oldest]] = await Promise.all([ask(redis.call("xlen", keys.stream)), entries(1)]);
      return { waiting: Number(waiting), oldestAt: oldest?.handedInAt };
    },

    async forgetAcknowledged() {
      refuseWhenClosed();
      return 0;
    },

    async close() {
      closed = true;
      await intake.idle();
      redis.off("error", ignore);
    },
  };

  async function hotSince(subject: SpendSubject, minute: number): Promise<bigint> {
    refuseWhenClosed();
    const found = await ask(redis.call("hgetall", keys.hotOf(subjectName(subject))));
    const flat: readonly unknown[] = Array.isArray(found) ? found : Object.entries(found as object).flat();
    let total = 0n;
    for (let i = 0; i + 1 < flat.length; i += 2)
      if (flat[i] === UNKNOWN_MINUTE || !(Number(flat[i]) < minute)) total += amountOf(flat[i + 1], subject);
    return total;
  }

  async function entries(count: number): Promise<readonly SpendEntry[]> {
    if (!(count >= 1)) return [];
    const found = await ask(redis.call("xrange", keys.stream, "-", "+", "count", Math.floor(count)));
    return (found as readonly (readonly [string, readonly string[]])[]).map(spendEntry);
  }

  /** A question: it changes nothing, however it ends. */
  async function ask(reply: Promise<unknown>): Promise<unknown> {
    try {
      return await within(reply, timeoutMs);
    } catch (cause) {
      throw storeFault(cause, "stayed");
    }
  }

  /** Runs a script, and makes sure that the reply is to this call. */
  async function run(
    script: Script,
    message: { readonly keys: readonly string[]; readonly args: readonly string[] },
  ): Promise<readonly string[]> {
    const token = `${process}${(calls += 1).toString(36)}`;
    const left = departure(redis);
    let reply: unknown;
    try {
      reply = await within(
        runScript(redis, script, { keys: message.keys, args: [token, ...message.args] }),
        timeoutMs,
      );
    } catch (cause) {
      throw storeFault(cause, left(cause));
    }
    if (Array.isArray(reply) && reply[0] === token) return reply.slice(1) as readonly string[];
    // Every reply on this connection would be taken for the one before it.
    redis.disconnect(true);
    throw new StoreError("Redis answered something else.", { applied: "unknown" });
  }

  function refuseWhenClosed(): void {
    if (closed) throw new StoreError("The Redis spend queue is closed.", { applied: "no" });
  }
}

/** @throws {StoreError} for an index that somebody has damaged: nobody knows the amount. */
function amountOf(text: unknown, subject: SpendSubject): bigint {
  if (typeof text === "string" && /^-?\d+$/.test(text)) return BigInt(text);
  throw new StoreError(`The hot spend of ${subjectName(subject)} is no whole number in Redis.`, {
    applied: "no",
  });
}

function ignore(): void {
  // Said to whoever waits for a reply.
}
