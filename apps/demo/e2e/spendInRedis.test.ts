import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../test/startTestGateway.js";

const PRICE = { model: "m", input: 1000, output: 1000 };

describeWithRedis("spend that waits in Redis", () => {
  test("is carried to the ledger, and in memory while Redis is away", async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const gateway = await startTestGateway({ settings: { spendQueue: "redis", storeRedisUrl: server.url } });
    await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: [PRICE] });
    const read = async (path: string) =>
      (await (await gateway.admin("GET", path)).json()) as Record<string, unknown>;
    await (await gateway.ask("alice")).text();
    await gateway.quiet();
    expect(await read("/api/spend/queue")).toMatchObject({ sharedBy: "many-machines" });
    await gateway.admin("POST", "/api/spend/queue", { action: "retry" });
    expect(await read("/api/spend")).toMatchObject({ total: { costUsd: "0.03", hotUsd: "0", requests: 1 } });

    await server.stop();
    await (await gateway.ask("alice")).text();
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain("quota_spend_kept_events 1");
    expect(metrics).toContain("quota_spend_enqueue_failures_total 1");
  });
});
