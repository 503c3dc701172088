import { StoreError, type QuotaEngine } from "@quota/engine";
import type { Pool, PoolUsage } from "@quota/core";
import { expect, test } from "vitest";
import { createOverview } from "../server/overview/createOverview.js";

const NOON = Date.UTC(2026, 0, 5, 12);

function overviewOf(usage: QuotaEngine["usage"]) {
  const pools = ["full", "empty", "lost"].map((id) => ({ id, name: `Pool ${id}` }) as Pool);
  return createOverview({
    engine: { usage },
    pools: { list: async () => pools },
    keys: { list: () => [] },
    decisions: { refusalsLastHour: () => 3 },
    quotaStore: {
      status: () => ({
        asked: { driver: "redis", source: "database", redisUrl: "redis://:secret@example.com" },
        serving: "none",
        state: "failing",
        reason: "Redis does not answer.",
        lastError: undefined,
      }),
    },
    logins: { needed: () => [{ connectionId: "seat", reason: "Log in." }] },
    traffic: true,
    now: () => NOON,
  });
}

const usageOf = (globalUsedPercent: number, borrowing: boolean): PoolUsage =>
  ({
    dimensions: [
      {
        dimension: { unit: "usd", window: "daily" },
        globalUsedPercent,
        perKey: [{ apiKeyId: "alice", borrowing }],
      },
    ],
  }) as unknown as PoolUsage;

test("while the store is away what can be told is told, and whose fault it is", async () => {
  const overview = overviewOf(async (id) => {
    if (id === "full") return usageOf(0.9, true);
    throw new StoreError("redis://:secret@example.com is away", { applied: "no" });
  });
  const told = await overview.read();
  expect(told).toEqual({
    generatedAt: NOON,
    pools: 3,
    keys: 0,
    keysBorrowing: 1,
    fullest: { poolId: "full", poolName: "Pool full", unit: "usd", window: "daily", globalUsedPercent: 0.9 },
    refusalsLastHour: 3,
    store: { driver: "redis", serving: "none", state: "failing", reason: "Redis does not answer." },
    logins: [{ connectionId: "seat", reason: "Log in." }],
    traffic: true,
  });
  expect(JSON.stringify(told)).not.toContain("secret");
});

test("whoever asks while it is read waits for the same reading", async () => {
  const asked: string[] = [];
  const overview = overviewOf(async (id) => {
    asked.push(id);
    return usageOf(0.1, false);
  });
  const [first, second] = await Promise.all([overview.read(), overview.read()]);
  expect(second).toBe(first);
  expect(asked).toEqual(["full", "empty", "lost"]);
});

test("after a reading that failed the next one begins anew", async () => {
  let fails = true;
  const overview = overviewOf(async () => {
    if (fails) throw new TypeError("a mistake");
    return undefined;
  });
  await expect(overview.read()).rejects.toThrow("a mistake");
  fails = false;
  expect(await overview.read()).toMatchObject({ pools: 3, keysBorrowing: 0 });
});
