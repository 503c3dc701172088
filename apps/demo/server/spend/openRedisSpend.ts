import type { Logger } from "pino";
import type { RedisSpend } from "./createRedisSpend.js";

/** Connects to the Redis where spend waits. Its client is asked for only now. @throws as `openRedis` of @quota/redis does. */
export async function openRedisSpend(
  url: string,
  log: Logger,
): Promise<RedisSpend & { readonly close: () => Promise<void> }> {
  const { createRedisLiveState, createRedisSpendQueue, openRedis } = await import("@quota/redis");
  const redis = await openRedis(url);
  return {
    queue: await createRedisSpendQueue(redis, {
      onWarning: (message) => log.warn({ scope: "gateway:spend" }, message),
    }),
    live: createRedisLiveState(redis, { logger: log }),
    async close() {
      redis.disconnect();
    },
  };
}
