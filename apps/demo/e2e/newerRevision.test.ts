import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, onTestFinished, test } from "vitest";
import { createReplicaWatch } from "../server/config/createReplicaWatch.js";
import { openRedis } from "../server/quotaStore/openRedis.js";
import { startTestGateway } from "../test/startTestGateway.js";

const PATH = "/api/settings/quota-store";

async function privateRedis() {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  return server;
}

/** A gateway on this Redis whose limits have changed so many times. */
async function limited(url: string, changes: number) {
  const settings = { storeDriver: "redis", storeRedisUrl: url } as const;
  const gateway = await startTestGateway({ openRedis, settings });
  await gateway.admin("POST", "/api/orgs", { id: "acme", rpm: 1000 });
  await gateway.admin("PATCH", "/api/keys/alice", { orgId: "acme" });
  for (let i = 0; i < changes; i += 1) await gateway.admin("PATCH", "/api/orgs/acme", { rpm: 1001 + i });
  return gateway;
}

describeWithRedis("limits of which Redis knows a newer revision than this gateway", () => {
  test("are left to the gateway that has it, and are in force here once that has ended", async () => {
    const { url } = await privateRedis();
    const first = await limited(url, 5);
    expect((await first.ask("alice")).status).toBe(200);
    const second = await limited(url, 0);
    expect((await second.ask("alice")).status).toBe(503);
    await first.stop(0);
    expect((await second.ask("alice")).status).toBe(200);
    expect(second.logged.filter((line) => line.includes("newer revision"))).toHaveLength(1);
    await second.admin("PATCH", "/api/orgs/acme", { rpm: 0 });
    expect((await second.ask("alice")).status).toBe(429);
  });

  test("are in force after a move to where they were counted before", async () => {
    const { url } = await privateRedis();
    const before = await limited(url, 5);
    expect((await before.ask("alice")).status).toBe(200);
    await before.stop(0);
    const gateway = await startTestGateway({ openRedis });
    await gateway.admin("PATCH", "/api/keys/alice", { rpm: 2 });
    expect((await gateway.ask("alice")).status).toBe(200);
    const moved = await gateway.admin("PUT", PATH, { driver: "redis", redisUrl: url });
    expect(moved.status).toBe(200);
    // One more of the two is left: what was counted came along.
    expect([(await gateway.ask("alice")).status, (await gateway.ask("alice")).status]).toEqual([200, 429]);
  });

  test("are nobody's among several gateways when none has told of them for ten seconds", async () => {
    const { server, time, watch } = await watching();
    const [mine, other] = [watch("a", 3), watch("b", 4)];
    // What is no gateway's word does not keep the others from being heard.
    await server.ask("HSET", "quota:gateways", "junk", "{}", "more", "no JSON");
    await other.compare();
    expect((await mine.compare()).differing).toHaveLength(1);
    expect(await mine.isNobodys(4)).toBe(false);
    expect(await mine.isNobodys(5)).toBe(false);
    time.now += 10_000;
    expect(await mine.isNobodys(5)).toBe(false);
    time.now += 1;
    expect(await mine.isNobodys(5)).toBe(true);
  });
});

describeWithRedis("gateways whose common key is something else", () => {
  test("say that they cannot be compared, and how to help", async () => {
    const { server, watch } = await watching();
    await server.ask("SET", "quota:gateways", "of another program");
    expect((await watch("a", 3).compare()).differing).toEqual([
      expect.stringMatching(/cannot compare .* quota:gateways .*WRONGTYPE.* Delete that key/u),
    ]);
  });
});

/** Gateways that only compare themselves, on one Redis and by one clock. */
async function watching() {
  const server = await privateRedis();
  const redis = await openRedis(server.url, () => undefined);
  onTestFinished(() => redis.close());
  const time = { now: 1_000_000 };
  const hashes = { connections: "", plans: "", pools: "", keys: "", settings: "" };
  const watch = (id: string, ratePlanRevision: number) => {
    const made = createReplicaWatch({
      id,
      replicas: 3,
      quotaStore: { redis: () => redis, clock: { now: () => time.now } },
      own: async () => ({ ratePlanRevision, hashes: { ...hashes, keys: id } }),
      adopt: async () => undefined,
    });
    onTestFinished(() => made.close());
    return made;
  };
  return { server, time, watch };
}
