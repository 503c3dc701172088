import {
  startFaultProxy,
  startRedisServer,
  type FaultProxy,
  type RedisServer,
  type RedisServerOptions,
} from "@quota/local-redis";
import type { UsageStore } from "@quota/engine";
import type { Redis } from "ioredis";
import { afterEach } from "vitest";
import { createRedisStore, openRedis, type RedisStoreOptions } from "../src/index.js";

/** A server, a proxy in front of it, and stores that talk through the proxy. */
export interface Place {
  readonly server: RedisServer;
  readonly proxy: FaultProxy;
  /** Opens a store over a connection of its own. */
  open(options?: RedisStoreOptions): Promise<{ readonly store: UsageStore; readonly redis: Redis }>;
}

/** Makes places, and takes them away after each test. */
export function places(): (options?: RedisServerOptions) => Promise<Place> {
  const undo: (() => unknown)[] = [];
  afterEach(async () => {
    for (const each of undo.splice(0).reverse()) await each();
  });
  return async (options) => {
    const server = await startRedisServer(options);
    undo.push(() => server.stop());
    const proxy = await startFaultProxy(server.port);
    undo.push(() => proxy.stop());
    return {
      server,
      proxy,
      async open({ timeoutMs = 500, ...rest } = {}) {
        const redis = (await openRedis(proxy.url, { timeoutMs })) as Redis;
        undo.push(() => redis.disconnect());
        const store = await createRedisStore(redis, { timeoutMs, ...rest });
        return { store, redis };
      },
    };
  };
}
