import type { EpochMs } from "@quota/core";
import { leniently, type Affinity, type AffinityChange, type Logger } from "@quota/engine";
import { checkRedisClient } from "./checkRedisClient.js";
import compareAffinity from "./compareAffinity.lua";
import { departure } from "./departure.js";
import { fieldOf } from "./ledgerKeys.js";
import { idOfField } from "./ledgerNames.js";
import { positiveWhole } from "./positiveWhole.js";
import { prefixOf } from "./prefixOf.js";
import type { RedisClient } from "./redisClient.js";
import { runScript, scriptOf } from "./runScript.js";
import { storeFault } from "./storeFault.js";
import { within } from "./within.js";

export interface RedisAffinityOptions {
  /** Begins every key (default `quota:`). Without `{` and `}`. */
  readonly prefix?: string | undefined;
  /** After how many milliseconds a call is given up (default 2000). */
  readonly timeoutMs?: number | undefined;
  /** Hears, once a second at most, that Redis could not be asked where nobody was told, under the scope `quota:affinity`. */
  readonly logger?: Logger | undefined;
}

/**
 * Short-lived texts in Redis, a key for each. Whether one still counts is said by the `now` of whoever asks; the server takes it away a minute later at the
 * earliest. One that was lost, by a restart or an eviction, is one that is not there.
 *
 * The client is the caller's, as for {@link createRedisStore}.
 *
 * @throws {QuotaConfigError} for an option out of range, and for a client that would send a change twice, or queue it for a server that is away.
 * @example
 * const affinity = createRedisAffinity(await openRedis("redis://localhost:6379"));
 */
export function createRedisAffinity(redis: RedisClient, options: RedisAffinityOptions = {}): Affinity {
  const prefix = prefixOf(options);
  const timeoutMs = positiveWhole("timeoutMs", options.timeoutMs ?? 2_000);
  checkRedisClient(redis);
  const { logger } = options;
  const lenient = leniently({ logger, scope: "quota:affinity", what: "A text that gateways share" });
  const compare = scriptOf(compareAffinity);
  const keyOf = (key: string): string => `${prefix}affinity:${fieldOf(key)}`;

  return {
    readAffinity,

    async compareAffinity(change, now) {
      const { key, expected } = change;
      const { text, keptMs } = kept(change, now);
      const args = [
        now,
        ...(expected === undefined ? ["none", ""] : ["text", fieldOf(expected)]),
        text,
        keptMs,
      ];
      const left = departure(redis);
      try {
        return (await within(runScript(redis, compare, { keys: [keyOf(key)], args }), timeoutMs)) === "1";
      } catch (cause) {
        throw storeFault(cause, left(cause));
      }
    },

    getString: (key, now) => lenient(() => readAffinity(key, now)),

    async setString(entry, now) {
      const { text, keptMs } = kept(entry, now);
      await lenient(() => within(redis.call("set", keyOf(entry.key), text, "px", String(keptMs)), timeoutMs));
    },
  };

  async function readAffinity(key: string, now: EpochMs): Promise<string | undefined> {
    let found: unknown;
    try {
      found = await within(redis.call("get", keyOf(key)), timeoutMs);
    } catch (cause) {
      throw storeFault(cause, "stayed");
    }
    if (typeof found !== "string") return undefined;
    const space = found.indexOf(" ");
    return Number(found.slice(0, space)) > now ? idOfField(found.slice(space + 1)) : undefined;
  }
}

/** How much longer than it counts a text is kept, for callers whose clocks are behind. */
const GRACE_MS = 60_000;

function kept(
  { value, ttlMs }: Omit<AffinityChange, "expected">,
  now: EpochMs,
): { readonly text: string; readonly keptMs: number } {
  return {
    text: `${String(now + ttlMs)} ${fieldOf(value)}`,
    keptMs: Math.ceil(Math.max(0, ttlMs)) + GRACE_MS,
  };
}
