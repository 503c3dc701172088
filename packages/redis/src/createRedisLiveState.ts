import type { EpochMs } from "@quota/core";
import { LATENCY_KEPT_MS, LATENCY_SAMPLES, leniently, type LiveState, type Logger } from "@quota/engine";
import addLatency from "./addLatency.lua";
import { checkRedisClient } from "./checkRedisClient.js";
import { tagOf } from "./ledgerKeys.js";
import { positiveWhole } from "./positiveWhole.js";
import { prefixOf } from "./prefixOf.js";
import raiseCounter from "./raiseCounter.lua";
import recordFailure from "./recordFailure.lua";
import type { RedisClient } from "./redisClient.js";
import { runScript, scriptOf, type Script } from "./runScript.js";
import { within } from "./within.js";

export interface RedisLiveStateOptions {
  /** Begins every key (default `quota:`). Without `{` and `}`. */
  readonly prefix?: string | undefined;
  /** After how many milliseconds nothing is known (default 500: somebody may be waiting for the choice). */
  readonly timeoutMs?: number | undefined;
  /** Hears, once a second at most, that Redis could not be asked, under the scope `quota:live`. */
  readonly logger?: Logger | undefined;
}

/**
 * What gateways tell each other of deployments, in Redis. Each deployment has a hash tag of its own, so a cluster spreads them; each key ends by itself
 * within an hour of its last change, or a minute after its cooldown. Nothing here throws: while Redis is away nothing is known, and nothing is kept.
 *
 * The client is the caller's, as for {@link createRedisStore}.
 *
 * @throws {QuotaConfigError} for an option out of range, and for a client that would queue commands for a server that is away.
 * @example
 * const live = createRedisLiveState(await openRedis("redis://localhost:6379"));
 */
export function createRedisLiveState(redis: RedisClient, options: RedisLiveStateOptions = {}): LiveState {
  const prefix = prefixOf(options);
  const timeoutMs = positiveWhole("timeoutMs", options.timeoutMs ?? 500);
  checkRedisClient(redis);
  const { logger } = options;
  const lenient = leniently({ logger, scope: "quota:live", what: "What is known of deployments" });
  const scripts = {
    raise: scriptOf(raiseCounter),
    fail: scriptOf(recordFailure),
    sample: scriptOf(addLatency),
  };
  const keyOf = (id: string, what: string): string => `${prefix}live{${tagOf(id)}}:${what}`;
  const minuteKey = ({ id, what }: { readonly id: string; readonly what: string }, now: EpochMs): string =>
    keyOf(id, `${what}:${String(Math.floor(now / MINUTE_MS))}`);

  return {
    async recordFailure(id, { allowed, cooldownMs }, now) {
      if (!(allowed >= 1) || !isAmount(cooldownMs)) return;
      await run(scripts.fail, {
        keys: [minuteKey({ id, what: "failures" }, now), keyOf(id, "cooled")],
        args: [MINUTE_KEPT_MS, allowed, Math.ceil(now + cooldownMs), Math.ceil(cooldownMs) + GRACE_MS],
      });
    },

    async cooled(ids, now) {
      return known(ids, async (id) => {
        const until = numberOf(await ask(redis.call("get", keyOf(id, "cooled"))));
        return until !== undefined && until > now ? until : undefined;
      });
    },

    async addLatency(id, ms, now) {
      if (!isAmount(ms)) return;
      await run(scripts.sample, {
        keys: [keyOf(id, "latency")],
        args: [now, ms, LATENCY_SAMPLES, LATENCY_KEPT_MS + GRACE_MS],
      });
    },

    async latencies(ids, now) {
      return known(ids, async (id) => {
        const found = await ask(redis.call("lrange", keyOf(id, "latency"), "0", "-1"));
        return meanOf(Array.isArray(found) ? found : [], now);
      });
    },

    async addUsage(id, tokens, now) {
      if (isAmount(tokens)) await raise({ id, what: "usage", by: tokens }, now);
    },

    async usages(ids, now) {
      return known(ids, async (id) =>
        numberOf(await ask(redis.call("get", minuteKey({ id, what: "usage" }, now)))),
      );
    },

    async hitRpm(id, now) {
      return raise({ id, what: "rpm", by: 1 }, now);
    },

    async hitTpm(id, tokens, now) {
      return raise({ id, what: "tpm", by: isAmount(tokens) ? tokens : 0 }, now);
    },
  };

  async function raise(
    { id, what, by }: { readonly id: string; readonly what: string; readonly by: number },
    now: EpochMs,
  ): Promise<number | undefined> {
    const keys = [minuteKey({ id, what }, now)];
    return numberOf(await run(scripts.raise, { keys, args: [by, MINUTE_KEPT_MS] }));
  }

  async function run(
    script: Script,
    call: { readonly keys: readonly string[]; readonly args: readonly (string | number)[] },
  ): Promise<unknown> {
    return ask(runScript(redis, script, call));
  }

  /** Undefined where there is nothing, and where nobody knows: what depends on none of it does not want to hear why. */
  async function ask(reply: Promise<unknown>): Promise<unknown> {
    return (await lenient(() => within(reply, timeoutMs))) ?? undefined;
  }
}

const MINUTE_MS = 60_000;

/** How long the counters of a minute are kept: that minute, and one more for clocks that are behind. */
const MINUTE_KEPT_MS = 2 * MINUTE_MS;

/** How much longer than it counts something is kept. The callers' clock says whether it counts; the server's takes it away. */
const GRACE_MS = 60_000;

async function known<Value>(
  ids: readonly string[],
  find: (id: string) => Promise<Value | undefined>,
): Promise<ReadonlyMap<string, Value>> {
  const found = await Promise.all(ids.map(async (id) => [id, await find(id)] as const));
  return new Map(found.filter((each): each is readonly [string, Awaited<Value>] => each[1] !== undefined));
}

function meanOf(samples: readonly unknown[], now: EpochMs): number | undefined {
  let total = 0;
  let count = 0;
  for (const sample of samples) {
    const [at = NaN, ms = NaN] = String(sample).split(" ").map(Number);
    if (!(at > now - LATENCY_KEPT_MS) || !isAmount(ms)) continue;
    total += ms;
    count += 1;
  }
  return count === 0 ? undefined : total / count;
}

function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function numberOf(text: unknown): number | undefined {
  const value = typeof text === "string" && text !== "" ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}
