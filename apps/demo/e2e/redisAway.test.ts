import { startFaultProxy, startRedisServer, type FaultProxy, type RedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, onTestFinished, test } from "vitest";
import { openRedis } from "../server/quotaStore/openRedis.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

interface World {
  readonly server: RedisServer;
  readonly proxy: FaultProxy;
  readonly gateway: TestGateway;
}

/** A gateway of two that counts in Redis, behind a proxy that can spoil what they say to each other. */
async function setUp(settings: Parameters<typeof startTestGateway>[0] = {}): Promise<World> {
  const server = await startRedisServer({ settings: ["--appendonly", "yes"] });
  onTestFinished(() => server.stop());
  const proxy = await startFaultProxy(server.port);
  onTestFinished(() => proxy.stop());
  const gateway = await startTestGateway({
    openRedis,
    now: Date.now,
    ...settings,
    settings: { storeDriver: "redis", storeRedisUrl: proxy.url, replicas: 2, ...settings.settings },
  });
  await gateway.plan([{ unit: "requests", window: "weekly", limit: 1000 }]);
  return { server, proxy, gateway };
}

const health = async ({ url }: TestGateway) => {
  const answer = await fetch(`${url}/healthz`);
  return { code: answer.status, ...((await answer.json()) as { status: string; store: { state: string } }) };
};

/** Asks so often at once; what was answered, how often each. */
async function told(gateway: TestGateway, times: number): Promise<Readonly<Record<string, number>>> {
  const answers = await Promise.all(Array.from({ length: times }, () => gateway.ask("alice")));
  const words: Record<string, number> = {};
  for (const answer of answers) {
    await answer.text();
    const word = `${answer.status} ${answer.headers.get("quota-status") ?? "judged"}`;
    words[word] = (words[word] ?? 0) + 1;
  }
  return words;
}

/** How many requests the ledger has. */
async function requestsWithSpend(gateway: TestGateway): Promise<number> {
  const answer = await gateway.admin("GET", "/api/spend");
  return ((await answer.json()) as { readonly total: { readonly requests: number } }).total.requests;
}

/** Asks until a request is judged again. */
async function recovered(gateway: TestGateway): Promise<void> {
  while ((await told(gateway, 1))["200 judged"] === undefined)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** What is counted, once so much of it is written and nothing is held. */
async function settled(gateway: TestGateway, least: number): Promise<number> {
  for (;;) {
    const { consumedTotal, held } = (await gateway.usage()).dimensions[0]!;
    if (held === 0 && consumedTotal >= least) return consumedTotal;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describeWithRedis("while Redis", () => {
  const unhandled: unknown[] = [];
  process.on("unhandledRejection", (reason) => unhandled.push(reason));

  test.each<
    [string, { readonly break: (world: World) => unknown; readonly mend: (world: World) => unknown }]
  >([
    [
      "has ended, and is started again",
      { break: ({ server }) => server.kill(), mend: ({ server }) => server.start() },
    ],
    ["is cut off", { break: ({ proxy }) => proxy.shut(), mend: ({ proxy }) => proxy.open() }],
    [
      "has become a replica that takes no writes, and is promoted",
      {
        break: ({ server }) => server.ask("REPLICAOF", "127.0.0.1", "1"),
        mend: ({ server }) => server.ask("REPLICAOF", "NO", "ONE"),
      },
    ],
    [
      "has no memory left and evicts nothing",
      {
        break: ({ server }) => server.ask("CONFIG", "SET", "maxmemory", "1"),
        mend: ({ server }) => server.ask("CONFIG", "SET", "maxmemory", "0"),
      },
    ],
  ])(
    "%s, requests pass unjudged, are counted in full after that, and nothing is started again",
    async (_, fault) => {
      const world = await setUp();
      const { gateway } = world;
      expect(await told(gateway, 3)).toEqual({ "200 judged": 3 });
      expect(await settled(gateway, 3)).toBe(3);
      await fault.break(world);
      expect(await told(gateway, 40)).toEqual({ "200 unjudged": 40 });
      await gateway.quiet();
      expect(await health(gateway)).toMatchObject({
        code: 503,
        status: "failing",
        store: { state: "failing" },
      });
      expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain("quota_unjudged_total 40");
      await fault.mend(world);
      await recovered(gateway);
      // 3 and 40, and whoever asked until it was judged.
      const requests = await settled(gateway, 44);
      // Spend that was kept in memory follows, with a moment between two tries.
      await expect
        .poll(() => health(gateway), { timeout: 20_000 })
        .toMatchObject({ code: 200, status: "ok", store: { state: "ok" } });
      await expect.poll(() => requestsWithSpend(gateway), { timeout: 20_000 }).toBe(requests);
      expect(unhandled).toEqual([]);
    },
  );

  test("accepts and never answers (D03), 200 requests are answered as whenStoreFails says, and never with 429", async () => {
    const { server, gateway } = await setUp({ settings: { whenStoreFails: "deny" } });
    expect(await told(gateway, 1)).toEqual({ "200 judged": 1 });
    await settled(gateway, 1);
    server.pause();
    onTestFinished(() => server.resume());
    expect(await told(gateway, 200)).toEqual({ "503 judged": 200 });
    expect(gateway.engine.status().openLeases).toBe(0);
    server.resume();
    await recovered(gateway);
    expect(unhandled).toEqual([]);
  });

  test("forgets its scripts between any two commands, nothing is noticed", async () => {
    const { server, gateway } = await setUp();
    for (let i = 0; i < 5; i += 1) {
      expect(await told(gateway, 2)).toEqual({ "200 judged": 2 });
      await server.ask("SCRIPT", "FLUSH");
    }
    await gateway.quiet();
    expect(await settled(gateway, 10)).toBe(10);
  });

  test("is away, a budget lets as many pass as /healthz says, over both gateways, and not one more", async () => {
    const world = await setUp({ settings: { whenStoreFails: { budget: 0.01 } } });
    const { gateway, proxy } = world;
    const second = await startTestGateway({
      openRedis,
      now: Date.now,
      settings: {
        storeDriver: "redis",
        storeRedisUrl: proxy.url,
        replicas: 2,
        whenStoreFails: { budget: 0.01 },
      },
    });
    await second.admin("PUT", "/api/config", await (await gateway.admin("GET", "/api/config")).json());
    const { outage } = (await (await fetch(`${gateway.url}/healthz`)).json()) as {
      outage: { dimension: string; worstCaseOvershoot: number }[];
    };
    expect(outage[0]).toMatchObject({ dimension: "requests/weekly", worstCaseOvershoot: 10 });
    await proxy.shut();
    const [one, two] = await Promise.all([told(gateway, 30), told(second, 30)]);
    expect([one, two]).toEqual([
      { "200 unjudged": 5, "503 judged": 25 },
      { "200 unjudged": 5, "503 judged": 25 },
    ]);
    await proxy.open();
    await Promise.all([recovered(gateway), recovered(second)]);
  });

  test("is away at the start, one gateway alone counts in SQLite, and takes that along when it answers", async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    await server.kill();
    const gateway = await startTestGateway({
      openRedis,
      now: Date.now,
      settings: { storeDriver: "redis", storeRedisUrl: server.url },
    });
    expect(await told(gateway, 4)).toEqual({ "200 judged": 4 });
    await gateway.quiet();
    expect(await health(gateway)).toMatchObject({
      code: 200,
      status: "degraded",
      store: { serving: "sqlite" },
    });
    await server.start();
    while ((await health(gateway)).status !== "ok") await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await health(gateway)).toMatchObject({ store: { driver: "redis", serving: "redis" } });
    expect(await told(gateway, 1)).toEqual({ "200 judged": 1 });
    await gateway.quiet();
    expect(await settled(gateway, 5)).toBe(5);

    // And back, by the setting, with everything.
    const changed = await gateway.admin("PUT", "/api/settings/quota-store", { driver: "sqlite" });
    expect([changed.status, await changed.json()]).toMatchObject([
      200,
      { driver: "sqlite", serving: "sqlite" },
    ]);
    expect(await settled(gateway, 5)).toBe(5);
  });

  test("counts, two gateways whose clocks are ten minutes apart decide alike, and reset within a second (C04)", async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const settings = { storeDriver: "redis", storeRedisUrl: server.url, replicas: 2 } as const;
    const [early, late] = await Promise.all(
      [-600_000, 0].map((ahead) => startTestGateway({ openRedis, settings, now: () => Date.now() + ahead })),
    );
    await early!.plan([{ unit: "requests", window: "hourly", limit: 4 }]);
    await late!.admin("PUT", "/api/config", await (await early!.admin("GET", "/api/config")).json());
    const answers: Response[] = [];
    for (let i = 0; i < 12; i += 1)
      answers.push(await [early!, late!][i % 2]!.ask(["alice", "bob"][i % 3 === 0 ? 0 : 1]!));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(4);
    const resets = answers.slice(-2).map((answer) => {
      const [, seconds] = /;t=(\d+)/u.exec(answer.headers.get("ratelimit") ?? "") ?? [];
      return Number(seconds);
    });
    expect(resets[0]).toBeGreaterThan(0);
    expect(Math.abs(resets[0]! - resets[1]!)).toBeLessThanOrEqual(1);
  });
});
