import { join } from "node:path";
import { startRedisServer, type RedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { createSqliteSpendQueue, openQuotaDatabase } from "@quota/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteStorage } from "../server/openSqliteStorage.js";
import { openRedis } from "../server/quotaStore/openRedis.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

const PRICE = { model: "m", input: 1000, output: 1000 };
const NOON = Date.UTC(2026, 0, 15, 12);

async function redis(): Promise<RedisServer> {
  const server = await startRedisServer();
  onTestFinished(() => server.stop());
  return server;
}

const read = async (gateway: TestGateway, path: string) =>
  (await (await gateway.admin("GET", path)).json()) as Record<string, unknown>;

describeWithRedis("spend that waits in Redis, as it does where Redis counts,", () => {
  test("is carried to the ledger, by way of the file while Redis is away", async () => {
    const server = await redis();
    const settings = { storeDriver: "redis", storeRedisUrl: server.url } as const;
    const gateway = await startTestGateway({ settings, openRedis });
    await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: [PRICE] });
    await (await gateway.ask("alice")).text();
    await gateway.quiet();
    expect(await read(gateway, "/api/spend/queue")).toMatchObject({ sharedBy: "many-machines" });
    await gateway.admin("POST", "/api/spend/queue", { action: "retry" });
    expect(await read(gateway, "/api/spend")).toMatchObject({
      total: { costUsd: "0.03", hotUsd: "0", requests: 1 },
    });

    await server.stop();
    await (await gateway.ask("alice")).text();
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain("quota_spend_kept_events 0");
    expect(metrics).toContain("quota_spend_spared_events_total 1");
    expect(metrics).toContain("quota_spend_enqueue_failures_total 1");
    expect(await read(gateway, "/api/spend/queue")).toMatchObject({ waiting: null, spared: 1, kept: 0 });
    // The ledger does not wait for Redis.
    await expect
      .poll(() => read(gateway, "/api/spend"))
      .toMatchObject({ total: { costUsd: "0.06", requests: 2 } });
  });

  test("waits in the file where somebody says so, and what is left there is carried over by a start that does not", async () => {
    const { url } = await redis();
    const dataDir = temporaryDirectory();
    let synced = 0;
    const begin = (spendQueue: "sqlite" | undefined) =>
      startTestGateway({
        dataDir,
        settings: { storeDriver: "redis", storeRedisUrl: url, spendQueue },
        openRedis,
        openStorage: async (options) => {
          const storage = await openSqliteStorage(options);
          const syncLedger = (): void => {
            synced += 1;
            storage.syncLedger!();
          };
          return { ...storage, syncLedger };
        },
      });
    const before = await begin("sqlite");
    expect(await read(before, "/api/spend/queue")).toMatchObject({ sharedBy: "one-machine" });
    await before.stop(0);
    expect(synced).toBe(0);

    const db = await openQuotaDatabase({ file: join(dataDir, "storage.sqlite") });
    const queue = createSqliteSpendQueue(db);
    const subjects = [{ kind: "key", id: "alice" }] as const;
    const event = { subjects, cost: 7, startedAt: NOON, endedAt: NOON, outcome: "answered" } as const;
    await queue.enqueueSpend({ ...event, requestId: "left over" }, NOON);
    await queue.close();
    db.close();

    const after = await begin(undefined);
    expect(await read(after, "/api/spend/queue")).toMatchObject({ sharedBy: "many-machines" });
    await expect
      .poll(() => read(after, "/api/spend?from=2026-01-01"))
      .toMatchObject({ total: { costUsd: "0.000000007", requests: 1 } });
    // The ledger answers for what Redis drops.
    expect(synced).toBe(1);
  });
});
