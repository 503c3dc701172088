import { QuotaConfigError } from "@quota/core";
import { StoreError, type Counter } from "@quota/engine";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { describe, expect, test } from "vitest";
import { redisServerKind } from "../src/checkRedisServer.js";
import {
  createRedisStore,
  liveCounters,
  openRedis,
  openRedisStore,
  redisClientOptions,
  redisClock,
  redisClusterOptions,
} from "../src/index.js";
import { counterOf, one } from "./counting.js";
import { places } from "./places.js";

describe("what a server says it is", () => {
  test.each([
    ["redis_version:7.0.15\r\nredis_mode:standalone\r\nos:Linux", "Redis", "7.0.15"],
    ["server_name:valkey\r\nredis_version:7.2.4\r\nvalkey_version:8.1.3", "Valkey", "8.1.3"],
    ["redis_version:7.4.0\r\ndragonfly_version:df-v1.30.0", "Dragonfly", "df-v1.30.0"],
    ["redis_version:7.4.3\r\ngarnet_version:1.0.58", "Garnet", "1.0.58"],
    ["# nothing", "Redis", "of an unknown version"],
  ])("%j is %s %s", (info, name, version) => {
    expect(redisServerKind(info)).toMatchObject({ name, version });
  });
});

describe("a client that would break the store's promises is refused", () => {
  const refusals: readonly (readonly [field: string, client: () => Redis | Cluster])[] = [
    ["keyPrefix", single({ keyPrefix: "app:" })],
    ["enableOfflineQueue", single({ enableOfflineQueue: true })],
    ["autoResendUnfulfilledCommands", single({ autoResendUnfulfilledCommands: true })],
    ["maxRetriesPerRequest", single({ maxRetriesPerRequest: 20 })],
    ["socketTimeout", single({ socketTimeout: 0 })],
    ["redisOptions.autoResendUnfulfilledCommands", cluster({ redisOptions: {} })],
    ["redisOptions.socketTimeout", cluster({ redisOptions: { autoResendUnfulfilledCommands: false } })],
    ["keyPrefix", cluster({ redisOptions: { keyPrefix: "app:" } })],
    ["retryDelayOnFailover", cluster({ retryDelayOnFailover: 100 })],
    ["enableOfflineQueue", cluster({ enableOfflineQueue: true })],
  ];
  test.each(refusals)("for its %s", async (field, make) => {
    const client = make();
    await expect(createRedisStore(client)).rejects.toMatchObject({ name: "QuotaConfigError", field });
    client.disconnect();
  });

  function single(options: RedisOptions): () => Redis {
    return () =>
      new Redis({ ...redisClientOptions(), lazyConnect: true, ...options } as RedisOptions & {
        replyMapping: "legacy";
      });
  }
  function cluster(options: ConstructorParameters<typeof Cluster>[1]): () => Cluster {
    return () => new Cluster([{ port: 1 }], { ...redisClusterOptions(), lazyConnect: true, ...options });
  }
});

describe("options out of range are refused", () => {
  test.each([
    ["prefix", { prefix: "a{b}" }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["maxCachedCounters", { maxCachedCounters: NaN }],
  ])("%s", async (field, options) => {
    const client = new Redis({ ...redisClientOptions(), lazyConnect: true });
    await expect(createRedisStore(client, options)).rejects.toMatchObject({ field });
    client.disconnect();
  });

  test.each([0, -5, 0.5, NaN, Infinity, 2 ** 31])("%s milliseconds to wait", async (ms) => {
    const client = new Redis({ ...redisClientOptions(), lazyConnect: true });
    const field = { name: "QuotaConfigError", field: "timeoutMs" };
    await expect(openRedis("redis://localhost:1", { timeoutMs: ms })).rejects.toMatchObject(field);
    await expect(redisClock(client, { timeoutMs: ms })).rejects.toMatchObject(field);
    await expect(redisClock(client, { everyMs: ms })).rejects.toMatchObject({ field: "everyMs" });
    await expect(liveCounters(client, { timeoutMs: ms }, 0).next()).rejects.toMatchObject(field);
    client.disconnect();
  });

  test.each(["", "localhost:6379", "http://user:secret@localhost", "redis//x"])("the URL %j", async (url) => {
    const error: unknown = await openRedis(url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(QuotaConfigError);
    expect(String(error)).not.toContain("secret");
  });
});

describeWithRedis("at start", () => {
  const place = places();

  test.each([
    ["redis_version:6.0.16", "Redis 6.0.16"],
    ["redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:7.2.9", "Valkey 7.2.9"],
    ["redis_version:7.4.0\r\ndragonfly_version:df-v1.30.0", "Dragonfly df-v1.30.0"],
  ])("a server that says %j is refused as %s", async (info, name) => {
    const { proxy } = await place();
    const answer = `$${String(Buffer.byteLength(info))}\r\n${info}`;
    proxy.onReply = (_reply, [command = ""]) => (command.toLowerCase() === "info" ? { answer } : "pass");
    await expect(openRedis(proxy.url)).rejects.toThrow(`The server is ${name}.`);
    expect(proxy.connections).toBeLessThanOrEqual(1);
  });

  test.each([
    ["1gb", "allkeys-lru", 1],
    ["1gb", "volatile-ttl", 1],
    ["1gb", "noeviction", 0],
    ["0", "allkeys-lru", 0],
  ])("of maxmemory %s under %s the store warns %i times", async (maxmemory, policy, times) => {
    const { server } = await place({ settings: ["--maxmemory", maxmemory, "--maxmemory-policy", policy] });
    const warnings: string[] = [];
    const { store, close } = await openRedisStore(server.url, {
      onWarning: (said) => void warnings.push(said),
    });
    await store.transact(one());
    await close();
    expect(warnings).toHaveLength(times);
    for (const warning of warnings) expect(warning).toContain(`maxmemory-policy ${policy}`);
  });

  test("a server that is not there, or does not answer, is a StoreError in time, and nothing stays open", async () => {
    const { server, proxy } = await place();
    server.pause();
    await expect(openRedis(proxy.url, { timeoutMs: 100 })).rejects.toBeInstanceOf(StoreError);
    server.resume();
    await proxy.shut();
    await expect(openRedis(proxy.url, { timeoutMs: 100 })).rejects.toBeInstanceOf(StoreError);
    expect(proxy.connections).toBe(0);
  });

  test("a store with its clock is opened and closed in one call each; twice is once", async () => {
    const { server } = await place();
    const { store, close } = await openRedisStore(server.url);
    await store.transact(one());
    await close();
    await close();
    await expect(store.transact(one())).rejects.toMatchObject({ applied: "no" });
  });

  test("a step of 30 000 counters is one step, and so is the next, over whatever handle", async () => {
    const { server } = await place();
    const options = { timeoutMs: 30_000 };
    const [first, second] = [
      await openRedisStore(server.url, options),
      await openRedisStore(server.url, options),
    ];
    const counters = Array.from({ length: 30_000 }, (_, i) => counterOf(`node ${String(i)}`, i % 3));
    for (const { store } of [first, first, second, first]) await store.transact(one(counters));
    expect(new Set(await first.store.read("ledger", counters))).toEqual(new Set([4]));
    await Promise.all([first.close(), second.close()]);
  });

  test.each([
    ["id", { id: undefined }],
    ["bucket", { bucket: 0.5 }],
    ["expiresAt", { expiresAt: Infinity }],
  ])("a counter whose %s is none is an error to whoever asked, and to nobody else", async (name, wrong) => {
    const { open } = await place();
    const { store } = await open();
    const counter = { ...counterOf("a"), ...wrong } as Counter;
    const asked = [store.transact(one()), store.transact(one([counter])), store.read("ledger", [counter])];
    const [other, ...refused] = await Promise.allSettled(asked);
    expect(other).toMatchObject({ status: "fulfilled" });
    for (const each of refused)
      expect(each).toMatchObject({
        reason: { name: "TypeError", message: expect.stringContaining(name) as string },
      });
  });

  test("counters that are no longer kept at hand are read again", async () => {
    const { open } = await place();
    const { store } = await open({ maxCachedCounters: 3 });
    for (let i = 0; i < 20; i += 1)
      await store.transact(one([counterOf(`a${String(i % 5)}`), counterOf("b")], `ledger ${String(i % 2)}`));
    expect(await store.read("ledger 0", [counterOf("a0"), counterOf("b")])).toEqual([2, 10]);
  });
});
