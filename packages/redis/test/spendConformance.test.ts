import { describeAffinity, describeLiveState, describeSpendQueue } from "@quota/conformance";
import { startRedisCluster, startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { Cluster, Redis } from "ioredis";
import { afterAll, beforeAll } from "vitest";
import {
  createRedisAffinity,
  createRedisLiveState,
  createRedisSpendQueue,
  redisClientOptions,
  redisClusterOptions,
  type RedisClient,
} from "../src/index.js";
import { spoilSpend } from "./spoilSpend.js";

describeWithRedis("on one server", () =>
  suite(
    async () => startRedisServer(),
    ({ port }) => new Redis({ port, host: "127.0.0.1", ...redisClientOptions() }),
  ),
);
describeWithRedis("on a cluster of three primaries", () =>
  suite(
    async () => startRedisCluster(),
    ({ ports }) =>
      new Cluster(
        ports.map((port) => ({ host: "127.0.0.1", port })),
        redisClusterOptions(),
      ),
  ),
);

/** The contracts, each check with names of its own, so that a cluster spreads them. */
function suite<Place extends { stop(): Promise<void> }>(
  start: () => Promise<Place>,
  connect: (place: Place) => RedisClient,
): void {
  let place: Place;
  let clients: readonly [RedisClient, RedisClient];
  let checks = 0;
  beforeAll(async () => {
    place = await start();
    clients = [connect(place), connect(place)];
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await place.stop();
  });

  describeSpendQueue("createRedisSpendQueue", async () => {
    // Braces and all: a name is data.
    const name = `check } {${String((checks += 1))}`;
    const queue = await createRedisSpendQueue(clients[0], { name });
    return {
      queue,
      another: async () => createRedisSpendQueue(clients[1], { name }),
      spoil: async (index, raw) => spoilSpend(clients[0], { name, index, raw }),
      forgets: "by itself",
      dispose: () => queue.close(),
    };
  });
  describeLiveState("createRedisLiveState", async () => {
    const prefix = `live check ${String((checks += 1))}:`;
    return {
      live: createRedisLiveState(clients[0], { prefix }),
      another: async () => createRedisLiveState(clients[1], { prefix }),
      dispose: async () => undefined,
    };
  });
  describeAffinity("createRedisAffinity", async () => {
    const prefix = `affinity check ${String((checks += 1))}:`;
    return {
      affinity: createRedisAffinity(clients[0], { prefix }),
      another: async () => createRedisAffinity(clients[1], { prefix }),
      dispose: async () => undefined,
    };
  });
}
