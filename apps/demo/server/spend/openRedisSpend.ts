import type { RedisSpend } from "./createRedisSpend.js";

/** Connects to the Redis where spend waits. Its client is asked for only now. @throws as `openRedis` of @quota/redis does. */
export async function openRedisSpend(
  url: string,
): Promise<RedisSpend & { readonly close: () => Promise<void> }> {
  const { createRedisLiveState, createRedisSpendQueue, openRedis } = await import("@quota/redis");
  const redis = await openRedis(url);
  return {
    queue: await createRedisSpendQueue(redis),
    live: createRedisLiveState(redis),
    async close() {
      redis.disconnect();
    },
  };
}
