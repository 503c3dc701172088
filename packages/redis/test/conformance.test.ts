import {
  describeAgreedWindows,
  describeRateAdmission,
  describeReserves,
  describeUsageStore,
  type UsageStoreUnderTest,
} from "@quota/conformance";
import { programVersion } from "@quota/local-programs";
import { startRedisCluster, startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { Cluster, Redis } from "ioredis";
import { afterAll, beforeAll, describe } from "vitest";
import { createRedisStore, redisClientOptions, redisClusterOptions, type RedisClient } from "../src/index.js";

describeWithRedis("on one server", () => suite(async () => startRedisServer(), single));
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
const valkey = "valkey-server";
const hasValkey = programVersion(valkey) !== undefined;
describe.skipIf(!hasValkey)(`on Valkey${hasValkey ? "" : " (SKIPPED: no valkey-server)"}`, () =>
  suite(async () => startRedisServer({ program: valkey }), single),
);

function single({ port }: { readonly port: number }): RedisClient {
  return new Redis({ port, host: "127.0.0.1", ...redisClientOptions() });
}

/** The whole contract, each check with a prefix, and so with counters, of its own. */
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

  const open = async (
    through: (client: RedisClient) => RedisClient = (client) => client,
  ): Promise<UsageStoreUnderTest> => {
    const prefix = `check ${String((checks += 1))}:`;
    const store = await createRedisStore(through(clients[0]), { prefix });
    return {
      store,
      another: async () => createRedisStore(through(clients[1]), { prefix }),
      forgets: "by itself",
      dispose: () => store.close(),
    };
  };

  const options = { shaken: (pause: () => Promise<void>) => open((client) => shaken(client, pause)) };
  describeUsageStore("createRedisStore", () => open(), options);
  describeRateAdmission("createRedisStore", () => open(), options);
  describeAgreedWindows("createRedisStore", () => open(), options);
  describeReserves("createRedisStore", () => open(), options);
}

/** The same client, whose commands leave late, and whose replies come late. */
function shaken(client: RedisClient, pause: () => Promise<void>): RedisClient {
  const call = async (name: string, args: string[] = []): Promise<unknown> => {
    await pause();
    const [reply] = await Promise.allSettled([client.call(name, args)]);
    await pause();
    if (reply.status === "rejected") throw reply.reason;
    return reply.value;
  };
  return new Proxy(client, {
    get(target, member): unknown {
      if (member === "call") return call;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
