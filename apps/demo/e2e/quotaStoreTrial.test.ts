import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { QuotaConfigError } from "@quota/core";
import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, onTestFinished, test } from "vitest";
import { openRedis } from "../server/quotaStore/openRedis.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const PATH = "/api/settings/quota-store/test";
const tried = async ({ admin }: Pick<TestGateway, "admin">, body: unknown) => {
  const answer = await admin("POST", PATH, body);
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
};

/** A server that takes what is sent and says `reply` to every piece of it. */
async function listening(reply: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => reply !== "" && socket.write(reply));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describeWithRedis("a quota store on trial", () => {
  test("works, says what it is, and changes nothing; two at once hear the same", async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const gateway = await startTestGateway({ openRedis });
    const before = await (await gateway.admin("GET", "/api/settings/quota-store")).json();
    const works = {
      status: 200,
      json: {
        works: true,
        server: expect.stringMatching(/^(redis|valkey) \d+\.\d+/u),
        tookMs: expect.any(Number),
      },
    };
    const asked = { driver: "redis", redisUrl: redis.url };
    expect(await Promise.all([tried(gateway, asked), tried(gateway, asked)])).toEqual([works, works]);
    expect(await tried(gateway, { driver: "sqlite" })).toEqual({
      status: 200,
      json: { works: true, tookMs: expect.any(Number) },
    });
    expect(await (await gateway.admin("GET", "/api/settings/quota-store")).json()).toEqual(before);
    // Nobody stays connected but the one who asks.
    const clients = await redis.ask("CLIENT", "LIST");
    expect(clients.trim().split("\n")).toHaveLength(1);
    const none = await tried(gateway, { driver: "redis" });
    expect(none.json).toEqual({
      works: false,
      reason: expect.stringContaining("no address of a Redis is configured"),
    });
  });

  test("without an address is the one that is configured", async () => {
    const redis = await startRedisServer({ settings: ["--requirepass", "hunter2"] });
    onTestFinished(() => redis.stop());
    const storeRedisUrl = `redis://:hunter2@127.0.0.1:${redis.port}`;
    const gateway = await startTestGateway({ openRedis, settings: { storeRedisUrl } });
    expect((await tried(gateway, { driver: "redis" })).json).toMatchObject({ works: true });
    const wrong = await tried(gateway, {
      driver: "redis",
      redisUrl: `redis://:swordfish@127.0.0.1:${redis.port}`,
    });
    expect(wrong).toEqual({
      status: 200,
      json: { works: false, reason: "Redis does not accept the password." },
    });
    const said = [JSON.stringify(wrong), ...gateway.logged].join("");
    expect(said).not.toMatch(/swordfish|hunter2/u);
  });

  test("that cannot be used is a sentence without its address", async () => {
    const gateway = await startTestGateway({ openRedis });
    const silent = await listening("");
    const chatty = await listening("HTTP/1.1 400 Bad Request\r\n\r\n");
    const trials: readonly [string, RegExp][] = [
      [`redis://:swordfish@127.0.0.1:1`, /^Redis does not answer[^.]*\.$/u],
      [`redis://:swordfish@127.0.0.1:${silent}`, /^Redis does not answer[^.]*\.$/u],
      [`rediss://:swordfish@127.0.0.1:${chatty}`, /^Redis does not answer[^.]*\.$/u],
    ];
    for (const [redisUrl, reason] of trials) {
      const { status, json } = await tried(gateway, { driver: "redis", redisUrl });
      expect([status, json]).toEqual([200, { works: false, reason: expect.stringMatching(reason) }]);
      expect(JSON.stringify(json)).not.toMatch(/127\.0\.0\.1|swordfish/u);
    }
    expect(gateway.logged.join("")).not.toContain("swordfish");
  });

  test("that is too old is said to be, with what would do", async () => {
    const gateway = await startTestGateway({
      async openRedis() {
        throw new QuotaConfigError({
          code: "redis-server-unknown",
          field: "redis",
          problem: "The server is Redis 5.0.14.",
          remedy: "Use Redis 6.2, 7 or newer, or Valkey 8 or newer.",
        });
      },
    });
    const { json } = await tried(gateway, { driver: "redis", redisUrl: "redis://127.0.0.1:1" });
    expect(json).toEqual({
      works: false,
      reason: expect.stringMatching(
        /^Redis cannot be used: .*The server is Redis 5\.0\.14\. Use Redis 6\.2.*newer\.$/u,
      ),
    });
  });

  test("is 400 with every fault at once, and 401 for everybody else", async () => {
    const gateway = await startTestGateway({ openRedis });
    const bad = await tried(gateway, {
      driver: "postgres",
      redisUrl: "http://:swordfish@x",
      takesEffect: "now",
    });
    expect(bad).toMatchObject({
      status: 400,
      json: { errors: ["driver", "redisUrl", "takesEffect"].map((path) => ({ path })) },
    });
    expect(JSON.stringify(bad)).not.toContain("swordfish");
    expect((await fetch(gateway.url + PATH, { method: "POST" })).status).toBe(401);
  });
});
