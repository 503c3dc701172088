import { statSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createMemoryUsageStore, type UsageStore } from "@quota/engine";
import { describe, expect, test } from "vitest";
import type { OpenedRedis } from "../server/quotaStore/openedRedis.js";
import { startTestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

const PATH = "/api/settings/quota-store";
const REDIS_URL = "redis://:hunter2@127.0.0.1:1/0";

describe("the setting of the quota store", () => {
  test("says what is asked for and what counts; what cannot be now is 409, and leaves it as it was", async () => {
    const gateway = await startTestGateway();
    const atFirst = {
      driver: "sqlite",
      source: "default",
      redisUrlConfigured: false,
      serving: "sqlite",
      state: "ok",
    };
    expect(await (await gateway.admin("GET", PATH)).json()).toEqual(atFirst);

    const refused = await gateway.admin("PUT", PATH, { driver: "redis", redisUrl: REDIS_URL });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { detail: expect.stringMatching(/^Redis does not answer.*nothing was changed/u) },
    ]);
    expect(await (await gateway.admin("GET", PATH)).json()).toEqual(atFirst);
    const none = await gateway.admin("PUT", PATH, { driver: "redis" });
    expect([none.status, await none.json()]).toMatchObject([
      409,
      { detail: expect.stringContaining("redisUrl") },
    ]);
  });

  test("keeps the address of Redis in a file of its owner, never tells it, and is followed by the next start", async () => {
    const dataDir = temporaryDirectory();
    const gateway = await startTestGateway({ dataDir });
    const body = { driver: "redis", redisUrl: REDIS_URL, takesEffect: "next-start" };
    const written = await gateway.admin("PUT", PATH, body);
    expect([written.status, await written.text()]).toEqual([200, expect.not.stringContaining("hunter2")]);
    const secrets = join(dataDir, "secrets", "settings");
    expect(readdirSync(secrets).map((name) => statSync(join(secrets, name)).mode & 0o777)).toEqual([0o600]);
    await gateway.stop(0);

    const next = await startTestGateway({ dataDir });
    const told = await (await next.admin("GET", PATH)).text();
    expect(JSON.parse(told)).toMatchObject({
      driver: "redis",
      source: "database",
      redisUrlConfigured: true,
      serving: "sqlite",
      state: "degraded",
    });
    const health = await (await fetch(`${next.url}/healthz`)).text();
    expect(JSON.parse(health)).toMatchObject({
      status: "degraded",
      store: { driver: "redis", serving: "sqlite" },
    });
    expect(await (await fetch(`${next.url}/metrics`)).text()).toContain(
      'quota_store_info{driver="redis",serving="sqlite",state="degraded"} 1',
    );
    expect([told, health, ...next.logged].join("")).not.toContain("hunter2");
  });

  test("is 400 with every fault at once, and 401 for everybody else", async () => {
    const gateway = await startTestGateway();
    const bad = await gateway.admin("PUT", PATH, {
      driver: "postgres",
      redisUrl: "http://x",
      url: 1,
      takesEffect: "soon",
    });
    expect([bad.status, await bad.json()]).toMatchObject([
      400,
      { errors: ["driver", "redisUrl", "takesEffect", "url"].map((path) => ({ path })) },
    ]);
    expect((await gateway.admin("PUT", PATH, [])).status).toBe(400);
    expect((await fetch(gateway.url + PATH)).status).toBe(401);
  });

  test("does not change while another gateway runs on the same directory, and does once that has ended", async () => {
    const dataDir = temporaryDirectory();
    const openRedis = async () => elsewhere(createMemoryUsageStore());
    const gateway = await startTestGateway({ dataDir, openRedis });
    const other = await startTestGateway({ dataDir });
    const change = () => gateway.admin("PUT", PATH, { driver: "redis", redisUrl: REDIS_URL });
    const refused = await change();
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { detail: expect.stringMatching(/^Another gateway runs on this data directory/u) },
    ]);
    await other.stop(0);
    expect((await change()).status).toBe(200);
  });

  test("changes while requests are in flight: they settle, and what they hold went along", async () => {
    const other = createMemoryUsageStore();
    const gateway = await startTestGateway({
      openRedis: async () => elsewhere(other),
    });
    await (await gateway.ask("bob")).text();
    await gateway.quiet();
    const slow = await gateway.ask("alice", {
      body: {
        model: "m?chunks=5&chunk-delay-ms=50",
        stream: true,
        messages: [{ role: "user", content: "hi" }],
      },
    });
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 1, held: 1 });
    const change = gateway.admin("PUT", PATH, { driver: "redis", redisUrl: REDIS_URL });
    expect((await change).status).toBe(200);
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 1, held: 1 });
    await slow.text();
    await gateway.quiet();
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 2, held: 0 });
  });
});

/** A store that counts as Redis would, an hour's part later. */
function elsewhere(store: UsageStore): OpenedRedis {
  return {
    store,
    live: () => nothing(),
    clock: { now: () => Date.UTC(2026, 0, 15, 12, 6) },
    ask: async () => undefined,
    close: () => Promise.resolve(),
  };
}

/** What an empty store holds. */
async function* nothing(): AsyncGenerator<never> {
  yield* [];
}
