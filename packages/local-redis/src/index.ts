export { startRedisServer } from "./startRedisServer.js";
export type { RedisServer, RedisServerOptions } from "./startRedisServer.js";
export { startRedisCluster } from "./startRedisCluster.js";
export type { RedisCluster } from "./startRedisCluster.js";
export { startFaultProxy } from "./startFaultProxy.js";
export type { FaultProxy, Fate } from "./startFaultProxy.js";
