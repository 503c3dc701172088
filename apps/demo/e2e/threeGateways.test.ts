import { join } from "node:path";
import { readFileSync } from "node:fs";
import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../test/temporaryDirectory.js";
import { buildDemo, startProcess } from "./startProcess.js";

const LIMIT = 150;

describeWithRedis("three gateway processes on one Redis", () => {
  let built: Awaited<ReturnType<typeof buildDemo>> | undefined;
  afterAll(() => built?.remove());

  /** Three gateways with a directory each, alike by an import, and one pool of 150 requests an hour. */
  async function three() {
    const { main } = (built ??= await buildDemo());
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const gateways = await Promise.all(
      [1, 2, 3].map(async () => {
        const dataDir = temporaryDirectory();
        const env = {
          DATA_DIR: dataDir,
          QUOTA_STORE_DRIVER: "redis",
          QUOTA_STORE_REDIS_URL: redis.url,
          QUOTA_REPLICAS: "3",
          // On a machine that is too busy for Redis to answer in time, nobody is let pass unjudged.
          QUOTA_WHEN_STORE_FAILS: "deny",
          QUOTA_WAIT_S: "0",
        };
        const demo = startProcess(main, { env });
        const url = await demo.ready;
        const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
        const admin = (method: string, path: string, body?: unknown) =>
          fetch(url + path, {
            method,
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
        return { demo, url, admin };
      }),
    );
    const [first, ...others] = gateways;
    const plan = { dimensions: [{ unit: "requests", window: "hourly", limit: LIMIT }] };
    await first!.admin("PUT", "/api/quota/plans/kimi-demo", plan);
    return { redis, gateways, first: first!, others };
  }

  const ask = (url: string, key: string, model = "m") =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer sk-demo-${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    });
  const health = async (url: string) => {
    const answer = await fetch(`${url}/healthz`);
    return { code: answer.status, ...((await answer.json()) as { status: string; reasons: string[] }) };
  };

  test("say that they differ until one configuration is in all of them, and then never pass a ceiling together", async () => {
    const { gateways, first, others } = await three();
    for (const { url } of gateways)
      expect(await health(url)).toMatchObject({
        code: 503,
        status: "failing",
        reasons: [expect.stringMatching(/differ in their plans and pools: .*\/api\/config/u)],
      });

    const config: unknown = await (await first.admin("GET", "/api/config")).json();
    for (const { admin } of others) expect((await admin("PUT", "/api/config", config)).status).toBe(200);
    for (const { url } of gateways) expect(await health(url)).toMatchObject({ code: 200, status: "ok" });

    // 240 at once, over all three, each held for a while: nothing settles before the last one is decided.
    const keys = ["alice", "bob", "carol"];
    const answers = await Promise.all(
      Array.from({ length: 240 }, (_, i) =>
        ask(gateways[i % 3]!.url, keys[Math.floor(i / 3) % 3]!, "m?latency-ms=500"),
      ),
    );
    const codes = answers.map(({ status }) => status);
    const granted = codes.filter((code) => code === 200).length;
    expect([200, 429, 503]).toEqual(expect.arrayContaining(codes));
    expect(granted).toBeLessThanOrEqual(LIMIT);
    // Whoever has a share left can still use it: alice 75, bob 45, carol 30 are all that there is.
    for (const key of keys)
      for (let i = 0; i < LIMIT && (await ask(gateways[i % 3]!.url, key)).status === 200;) i += 1;
    const usages = await Promise.all(
      gateways.map(async ({ admin }) => {
        const pools = (await (await admin("GET", "/api/quota/pools")).json()) as {
          id: string;
          connectionId: string;
        }[];
        const pool = pools.find(({ connectionId }) => connectionId === "kimi-demo");
        const usage = await (await admin("GET", `/api/quota/pools/${pool!.id}/usage`)).json();
        return (usage as { dimensions: { consumedTotal: number; held: number }[] }).dimensions[0];
      }),
    );
    for (const usage of usages) expect(usage).toMatchObject({ consumedTotal: LIMIT, held: 0 });
  });
});
