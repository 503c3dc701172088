import type { RedisClient } from "./redisClient.js";

/** Whether a command that failed may have reached the server. */
export type Departure = "stayed" | "may have left";

/**
 * Watches a command that is about to be sent. When it has failed, the answer tells whether it ever left this process: then a
 * step that was not sent can be counted on not to have been applied.
 */
export function departure(redis: RedisClient): (cause: unknown) => Departure {
  // ioredis says so when one server is away.
  if (!redis.isCluster) return (cause) => (isUnsent(cause) ? "stayed" : "may have left");
  // Of a cluster's node it says "Connection is closed", before a command is sent and after. One that was never sent fails
  // in the turn of the loop in which it was asked; whatever comes from the network comes in a later one.
  let turned = false;
  setImmediate(() => (turned = true));
  return (cause) => (turned && !isUnsent(cause) ? "may have left" : "stayed");
}

function isUnsent(cause: unknown): boolean {
  return cause instanceof Error && cause.message.endsWith("enableOfflineQueue options is false");
}
