import type { OpenedRedis } from "./openedRedis.js";

/**
 * Connects to Redis, or to the cluster that the server is a node of. Its client is asked for only now: a gateway that counts in SQLite does
 * without.
 *
 * @throws {Error} when ioredis is not installed, or the server does not answer within two seconds, refuses the password, or is too old.
 */
export async function openRedis(url: string, onWarning: (warning: string) => void): Promise<OpenedRedis> {
  const { liveCounters, openRedisStore, redisServerKind } = await import("@quota/redis");
  const { store, clock, redis, close } = await openRedisStore(url, { onWarning });
  return {
    store,
    clock,
    live: (now) => liveCounters(redis, {}, now),
    ask: (...command) => redis.call(...command),
    async server() {
      const { name, version } = redisServerKind(String(await redis.call("info", "server")));
      return `${name.toLowerCase()} ${version}`;
    },
    close,
  };
}
