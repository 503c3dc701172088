import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createDatabase, startPostgres, type PostgresServer } from "@quota/local-postgres";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openPostgresStorage } from "../server/postgres/openPostgresStorage.js";
import { openRedis } from "../server/quotaStore/openRedis.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const SECRETS_KEY = Buffer.alloc(32, 9).toString("base64");

describeWithRedis("two gateways with a data directory each, on one PostgreSQL and one Redis,", () => {
  describeWithPostgres("as two machines have them", () => {
    let server: PostgresServer;
    let redis: Awaited<ReturnType<typeof startRedisServer>>;
    beforeAll(async () => {
      [server, redis] = await Promise.all([startPostgres(), startRedisServer()]);
      return () => Promise.all([server.stop(), redis.stop()]);
    });

    async function two() {
      const database = await createDatabase(server.url);
      const begin = () =>
        startTestGateway({
          settings: { storeDriver: "redis", storeRedisUrl: redis.url, replicas: 2 },
          openStorage: (options) =>
            openPostgresStorage({
              ...options,
              url: database.url,
              secretsKey: SECRETS_KEY,
              timeoutMs: 20_000,
            }),
          openRedis,
          now: Date.now,
        });
      const here = await begin();
      return { database, here, there: await begin() };
    }

    const seen = <Value>(look: () => Promise<Value>) => expect.poll(look, { interval: 20, timeout: 20_000 });
    const json = async (gateway: TestGateway, path: string) => (await gateway.admin("GET", path)).json();
    const change = async (gateway: TestGateway, asked: readonly [string, string, unknown?]) => {
      const answer = await gateway.admin(...asked);
      expect([200, 201, 204], await answer.clone().text()).toContain(answer.status);
      return answer;
    };

    test("each have what is changed in the other, and count together", async () => {
      const { database, here, there } = await two();
      const headers: (string | undefined)[] = [];
      const upstream = createServer((request, response) => {
        headers.push(request.headers.authorization);
        response.setHeader("content-type", "application/json").end(JSON.stringify({ choices: [] }));
      }).listen(0, "127.0.0.1");
      onTestFinished(() => void upstream.close());
      await new Promise((resolve) => upstream.once("listening", resolve));
      const baseUrl = `http://127.0.0.1:${String((upstream.address() as AddressInfo).port)}/v1`;

      // A connection with its secret.
      await change(here, [
        "POST",
        "/api/connections",
        {
          id: "own",
          provider: "openai",
          baseUrl,
          models: ["own-model"],
          auth: { kind: "value", value: "sk-very-secret" },
        },
      ]);
      await seen(async () => (await there.admin("GET", "/api/connections/own")).status).toBe(200);
      const asked = {
        headers: { "x-quota-connection": "own" },
        body: { model: "own-model", messages: [{ role: "user", content: "hi" }] },
      };
      await there.ask("alice", asked);
      expect(headers).toEqual(["Bearer sk-very-secret"]);
      const dump = await database.query("SELECT gateway_connections::text AS row FROM gateway_connections");
      expect(JSON.stringify(dump)).toContain(baseUrl);
      for (const text of ["sk-very-secret", Buffer.from("sk-very-secret").toString("hex")])
        expect(JSON.stringify(dump)).not.toContain(text);

      // Organisations, teams and keys; a key's secret is good at once where it was made, and soon in the other.
      await change(there, ["POST", "/api/orgs", { id: "acme", rpm: 100 }]);
      await change(there, ["POST", "/api/teams", { id: "red", orgId: "acme" }]);
      const made = await change(there, ["POST", "/api/keys", { id: "dora", teamId: "red", rpm: 3 }]);
      const { secret } = (await made.json()) as { secret: string };
      expect((await there.ask(secret, asked)).status).toBe(200);
      await seen(async () => (await here.ask(secret, asked)).status).toBe(200);
      expect(await json(here, "/api/keys/dora")).toMatchObject({ teamId: "red", orgId: "acme", rpm: 3 });
      // Its limit per minute is one for both.
      const codes: number[] = [];
      for (const gateway of [there, here, there, here]) codes.push((await gateway.ask(secret, asked)).status);
      expect(codes).toContain(429);
      await change(here, ["POST", "/api/keys/dora/disable"]);
      expect((await here.ask(secret, asked)).status).toBe(401);
      await seen(async () => (await there.ask(secret, asked)).status).toBe(401);

      // Plans, pools and settings.
      await here.plan([{ unit: "requests", window: "daily", limit: 4 }]);
      const pool = await here.poolOf("kimi-demo");
      await change(here, ["PATCH", `/api/quota/pools/${pool.id}`, { name: "Ours", unallocated: "deny" }]);
      await seen(async () => json(there, `/api/quota/pools/${pool.id}`)).toMatchObject({
        name: "Ours",
      });
      await seen(async () => (await there.usage()).dimensions.map(({ limit }) => limit)).toEqual([4]);
      await change(there, ["PUT", "/api/settings/sharing", { saturationThreshold: 0.25 }]);
      await seen(async () => json(here, "/api/settings/sharing")).toMatchObject({
        saturationThreshold: { value: 0.25, source: "database" },
      });
      // Half of it is alice's, and above a quarter of it nobody borrows.
      for (let i = 0; i < 6; i += 1) await (i % 2 === 0 ? here : there).ask("alice");
      await Promise.all([here.quiet(), there.quiet()]);
      for (const gateway of [here, there])
        expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 2 });

      // A whole configuration in the place of another.
      const config = (await json(here, "/api/config")) as { keys: { id: string }[] };
      const without = { ...config, keys: config.keys.filter(({ id }) => id !== "dora") };
      await change(here, ["PUT", "/api/config", without]);
      await seen(async () => (await there.admin("GET", "/api/keys/dora")).status).toBe(404);
      expect((await there.ask("alice", asked)).status).toBe(200);
      expect(headers.at(-1)).toBe("Bearer sk-very-secret");
      expect((await fetch(`${there.url}/healthz`)).status).toBe(200);
    });

    test("have one budget between them, and one ledger in which each request is once", async () => {
      const { here, there } = await two();
      const prices = [{ model: "m", input: 1000, output: 1000 }];
      await change(here, ["PATCH", "/api/connections/kimi-demo", { prices }]);
      await change(there, ["PATCH", "/api/keys/alice", { budget: { limitUsd: 0.25, period: "day" } }]);
      type Priced = readonly { readonly id: string; readonly prices: readonly unknown[] }[];
      await seen(
        async () =>
          ((await json(there, "/api/connections")) as Priced).find(({ id }) => id === "kimi-demo")?.prices
            .length,
      ).toBe(1);
      await seen(async () => json(here, "/api/keys/alice")).toMatchObject({ budget: { limitUsd: "0.25" } });
      const body = { model: "m", max_tokens: 100, messages: [{ role: "user", content: "Say hi" }] };
      let answered = 0;
      let refused: Response | undefined;
      for (let i = 0; i < 12 && refused === undefined; i += 1) {
        const answer = await (i % 2 === 0 ? here : there).ask("alice", { body });
        await answer.clone().text();
        if (answer.status === 200) answered += 1;
        else refused = answer;
      }
      expect(refused?.status).toBe(429);
      expect(answered).toBeGreaterThan(1);
      await Promise.all([here.quiet(), there.quiet()]);
      for (const gateway of [here, there])
        await seen(async () => json(gateway, "/api/spend")).toMatchObject({
          total: { requests: answered, costUsd: String((answered * 3) / 100), hotUsd: "0" },
        });
      expect(await json(there, "/api/keys/alice")).toMatchObject({
        budget: { spentUsd: String((answered * 3) / 100), pendingUsd: "0" },
      });
    });

    test("answer from what they have read while the database is away, refuse changes, and go on by themselves when it is back", async () => {
      const { here, there } = await two();
      await server.kill();
      for (const gateway of [here, there]) {
        expect((await gateway.ask("alice")).status).toBe(200);
        expect((await gateway.ask("nobody")).status).toBe(401);
        expect(await json(gateway, "/api/connections")).toHaveLength(2);
        const refused = await gateway.admin("POST", "/api/keys", { id: "late" });
        expect(refused.status).toBe(503);
        expect(await refused.text()).toContain("database does not answer");
        const health = await fetch(`${gateway.url}/healthz`);
        expect([health.status, await health.text()]).toEqual([
          200,
          expect.stringContaining("The database does not answer. Requests go on"),
        ]);
      }

      await server.start();
      await seen(async () => (await here.admin("POST", "/api/keys", { id: "late" })).status).toBe(201);
      await seen(async () => (await there.admin("GET", "/api/keys/late")).status).toBe(200);
      await here.plan([{ unit: "requests", window: "daily", limit: 7 }]);
      await seen(async () => (await there.usage()).dimensions.map(({ limit }) => limit)).toEqual([7]);
      await seen(async () => (await fetch(`${there.url}/healthz`)).text()).toContain('"status":"ok"');
    });
  });
});
