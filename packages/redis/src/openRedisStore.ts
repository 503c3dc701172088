import type { UsageStore } from "@quota/engine";
import { createRedisStore, type RedisStoreOptions } from "./createRedisStore.js";
import { openRedis, type OpenRedisOptions } from "./openRedis.js";
import type { RedisClient } from "./redisClient.js";
import { redisClock, type RedisClock } from "./redisClock.js";

/** A store with all that belongs to it. */
export interface OpenRedisStore {
  readonly store: UsageStore;
  /** The clock that everybody who shares the store must follow. */
  readonly clock: RedisClock;
  readonly redis: RedisClient;
  /** Closes the store, the clock and the connection. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens a server or a cluster, and hands out the store with the clock that goes with it.
 *
 * @throws {QuotaConfigError} for a URL, an option or a server that will not do. @throws {StoreError} when the server does not answer. Nothing
 *   stays open.
 * @example
 * const { store, clock, close } = await openRedisStore("redis://localhost:6379");
 * const engine = createQuotaEngine({ store, clock, pools, plans });
 */
export async function openRedisStore(
  url: string,
  options: RedisStoreOptions & OpenRedisOptions = {},
): Promise<OpenRedisStore> {
  const redis = await openRedis(url, options);
  try {
    const store = await createRedisStore(redis, options);
    const clock = await redisClock(redis, { timeoutMs: options.timeoutMs });
    const close = async (): Promise<void> => {
      clock.close();
      await store.close();
      redis.disconnect();
    };
    return { store, clock, redis, close };
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}
