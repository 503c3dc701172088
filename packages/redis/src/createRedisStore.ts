import { StoreError, type Counter, type Step, type UsageStore } from "@quota/engine";
import { randomBytes } from "node:crypto";
import type { Outcome } from "./batch.js";
import { checkRedisClient } from "./checkRedisClient.js";
import { checkRedisServer } from "./checkRedisServer.js";
import commitUnchanged from "./commitUnchanged.lua";
import commitWithinBounds from "./commitWithinBounds.lua";
import { departure } from "./departure.js";
import { fieldOf, ledgerKeys } from "./ledgerKeys.js";
import { createLedgerLine, type LedgerLine, type LineTools } from "./ledgerLine.js";
import { positiveWhole } from "./positiveWhole.js";
import { prefixOf } from "./prefixOf.js";
import type { RedisClient } from "./redisClient.js";
import { runScript, scriptOf } from "./runScript.js";
import { storeFault } from "./storeFault.js";
import { within } from "./within.js";

export interface RedisStoreOptions {
  /** Begins every key, so that other programs may use the same database (default `quota:`). Without `{` and `}`. */
  readonly prefix?: string | undefined;
  /** After how many milliseconds a step is given up (default 2000). */
  readonly timeoutMs?: number | undefined;
  /**
   * How many counters are kept at hand, of all ledgers together (default 300 000) beside those of steps under way; others are read
   * again when they are asked for.
   */
  readonly maxCachedCounters?: number | undefined;
  /** Hears, once at the start, of a server that evicts keys when it is full: each of them is quota given away. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/**
 * Keeps usage in Redis (6.2, 7 or newer), Valkey or a cluster of either, shared by any number of processes. Steps that wait for one ledger are
 * decided together, on amounts this process remembers, and committed by one short script if every verdict still stands; a step
 * on a hot ledger costs its batch one round trip.
 *
 * The client is the caller's: made with {@link openRedis}, or with the settings of {@link redisClientOptions}; closed after the store.
 *
 * @throws {QuotaConfigError} for an option out of range, a client that would send a step twice or queue steps for a server that
 *   is away, and a server that is none of the above. @throws {StoreError} when the server does not answer.
 * @example
 * const redis = await openRedis("redis://localhost:6379");
 * const store = await createRedisStore(redis);
 */
export async function createRedisStore(
  redis: RedisClient,
  options: RedisStoreOptions = {},
): Promise<UsageStore> {
  const { prefix, timeoutMs, maxCachedCounters } = valid(options);
  checkRedisClient(redis);
  const scripts = { bounds: scriptOf(commitWithinBounds), unchanged: scriptOf(commitUnchanged) };
  const lines = new Map<string, LedgerLine>();
  const process = randomBytes(6).toString("base64url");
  let commits = 0;
  /** How many counters all lines keep at hand. */
  let kept = 0;
  let closed = false;
  let ticking: NodeJS.Timeout | undefined;

  // What happens to the connection reaches whoever waits for a reply. Without a listener it would be thrown, too.
  redis.on("error", ignore);
  try {
    await checkRedisServer(redis, { timeoutMs, onWarning: options.onWarning });
  } catch (error) {
    redis.off("error", ignore);
    throw error;
  }

  const tools: LineTools = {
    prefix,
    keeps: (more) => void (kept += more),
    hasRoom() {
      if (kept > maxCachedCounters) forgetIdle();
      return kept <= maxCachedCounters;
    },
    newToken: () => `${process}${(commits += 1).toString(36)}`,
    send(proof, { keys, args }) {
      const left = departure(redis);
      return { reply: runScript(redis, scripts[proof], { keys, args }), left };
    },
    // Every reply on this connection would be taken for the one before it.
    outOfStep: () => redis.disconnect(true),
  };

  return {
    async transact<Result>(step: Step<Result>): Promise<Result> {
      refuseWhenClosed();
      checkCounters(step.counters);
      tick();
      return await new Promise<Result>((resolve, reject) => {
        lineOf(step.ledger).ask(step, answering(resolve as (result: unknown) => void, reject));
      });
    },

    async read(ledger, counters) {
      refuseWhenClosed();
      checkCounters(counters);
      try {
        return await within(readAmounts(ledger, counters), timeoutMs);
      } catch (cause) {
        throw storeFault(cause, "stayed");
      }
    },

    async forget() {
      refuseWhenClosed();
      return 0;
    },

    async close() {
      closed = true;
      while ([...lines.values()].some(({ idle }) => !idle))
        await new Promise((resolve) => setTimeout(resolve, 5));
      clearInterval(ticking);
      redis.off("error", ignore);
    },
  };

  function lineOf(ledger: string): LedgerLine {
    const known = lines.get(ledger);
    if (known !== undefined) return known;
    if (lines.size >= MAX_LEDGERS && lines.size % 64 === 0) forgetIdle();
    const line = createLedgerLine(ledger, tools);
    lines.set(ledger, line);
    return line;
  }

  /** Where there is no room, the ledgers that nobody asks for go. */
  function forgetIdle(): void {
    for (const [ledger, { idle, size }] of lines) {
      if (!idle) continue;
      lines.delete(ledger);
      kept -= size;
    }
  }

  /** Looks for steps that have waited too long, for as long as there are any. */
  function tick(): void {
    ticking ??= setInterval(() => {
      const askedBefore = performance.now() - timeoutMs + TICK_MS;
      let busy = false;
      for (const line of lines.values()) {
        line.giveUp(askedBefore);
        busy ||= !line.idle;
      }
      if (busy) return;
      clearInterval(ticking);
      ticking = undefined;
    }, TICK_MS);
  }

  async function readAmounts(ledger: string, counters: readonly Counter[]): Promise<readonly number[]> {
    const { hashOf } = ledgerKeys(prefix, ledger);
    const amounts = new Array<number>(counters.length).fill(0);
    const asked = [...byBucket(counters)].flatMap(([bucket, positions]) =>
      partsOf(positions).map(async (part) => {
        const fields = part.map((position) => fieldOf(counters[position]!.id));
        const found = await redis.call("hmget", [hashOf(bucket), ...fields]);
        if (!Array.isArray(found) || found.length !== part.length) {
          tools.outOfStep();
          throw new StoreError("Redis answered something else.", { applied: "no" });
        }
        part.forEach((position, i) => (amounts[position] = Number(found[i] ?? 0)));
      }),
    );
    await Promise.all(asked);
    return amounts;
  }

  function refuseWhenClosed(): void {
    if (closed) throw new StoreError("The Redis store is closed.", { applied: "no" });
  }
}

function answering(
  resolve: (result: unknown) => void,
  reject: (error: unknown) => void,
): (outcome: Outcome) => void {
  return (outcome) => {
    if ("error" in outcome) reject(outcome.error);
    else resolve(outcome.result);
  };
}

/** How often steps that have waited too long are looked for. */
const TICK_MS = 50;

/** Ledgers are forgotten beyond this many. */
const MAX_LEDGERS = 10_000;

/** How many counters are read by one command at most. */
const READ_PART = 5_000;

function byBucket(counters: readonly Counter[]): Map<number, number[]> {
  const positions = new Map<number, number[]>();
  counters.forEach(({ bucket }, i) => {
    const known = positions.get(bucket);
    if (known === undefined) positions.set(bucket, [i]);
    else known.push(i);
  });
  return positions;
}

function partsOf(positions: readonly number[]): readonly (readonly number[])[] {
  const parts: (readonly number[])[] = [];
  for (let from = 0; from < positions.length; from += READ_PART)
    parts.push(positions.slice(from, from + READ_PART));
  return parts;
}

/** What Redis cannot keep would fail the whole batch: it is turned away before it waits with others. */
function checkCounters(counters: readonly Counter[]): void {
  for (const { id, bucket, expiresAt } of counters) {
    if (typeof id !== "string") throw new TypeError(`A counter's id must be a text, not ${String(id)}.`);
    if (!Number.isSafeInteger(bucket) || !Number.isSafeInteger(expiresAt))
      throw new TypeError(
        `A counter's bucket and expiresAt must be whole numbers, not ${String(bucket)} and ${String(expiresAt)}.`,
      );
  }
}

function valid(options: RedisStoreOptions): {
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly maxCachedCounters: number;
} {
  const { timeoutMs = 2_000, maxCachedCounters = 300_000 } = options;
  return {
    prefix: prefixOf(options),
    timeoutMs: positiveWhole("timeoutMs", timeoutMs),
    maxCachedCounters: positiveWhole("maxCachedCounters", maxCachedCounters),
  };
}

function ignore(): void {
  // Said to whoever waits for a reply.
}
