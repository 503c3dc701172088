import type { Cluster, Redis } from "ioredis";
import type { RedisClient } from "./redisClient.js";

/** The servers that a client writes to: the one, or the primaries of a cluster, in an order that does not depend on who asks. */
export function primariesOf(redis: RedisClient): readonly Redis[] {
  if (!redis.isCluster) return [redis as Redis];
  return (redis as Cluster)
    .nodes("master")
    .sort((one, other) => (addressOf(one) < addressOf(other) ? -1 : 1));
}

function addressOf({ options: { host = "", port = 0 } }: Redis): string {
  return `${host}:${String(port)}`;
}
