export { createRedisStore } from "./createRedisStore.js";
export type { RedisStoreOptions } from "./createRedisStore.js";
export { openRedis } from "./openRedis.js";
export type { OpenRedisOptions } from "./openRedis.js";
export { liveCounters } from "./liveCounters.js";
export type { LedgerPart } from "./liveCounters.js";
export { redisClientOptions, redisClusterOptions } from "./redisClientOptions.js";
export type { RedisClient } from "./redisClient.js";
