import { startRedisCluster, startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import type { Counter, UsageStore } from "@quota/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRedisStore, openRedis, type RedisClient } from "../src/index.js";
import { fieldOf, ledgerKeys } from "../src/ledgerKeys.js";
import { idOfField, ledgerOfTag } from "../src/ledgerNames.js";
import { liveCounters } from "../src/liveCounters.js";

const NOW = Date.UTC(2026, 0, 15, 12);

describe("the names that keys and fields bear", () => {
  it("can be read back, whatever they are made of", () => {
    const names = [
      "",
      "%",
      "%%",
      "{}",
      "%7b.",
      "%7b",
      "\ud800",
      "\udc00\ud800",
      "a%b",
      "{a}:{b}",
      "é|☃",
      "\u0000",
    ];
    for (const name of names) {
      expect(idOfField(fieldOf(name))).toBe(name);
      const { head } = ledgerKeys("quota:", name);
      expect(ledgerOfTag(head.slice("quota:{".length, -1))).toBe(name);
    }
  });
});

describeWithRedis("liveCounters of one server", () => suite(async () => startRedisServer()));
describeWithRedis("liveCounters of a cluster", () =>
  suite(async () => {
    const cluster = await startRedisCluster();
    return { url: cluster.nodes[0]!.url, stop: () => cluster.stop() };
  }),
);

function suite(start: () => Promise<{ readonly url: string; stop(): Promise<void> }>): void {
  let server: { readonly url: string; stop(): Promise<void> };
  let redis: RedisClient;
  beforeAll(async () => {
    server = await start();
    redis = await openRedis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  async function add(store: UsageStore, ledger: string, amounts: Readonly<Record<string, number>>) {
    const counters = Object.keys(amounts).map((id): Counter => ({ id, bucket: -7, expiresAt: NOW + 60_000 }));
    await store.transact({
      ledger,
      counters,
      now: NOW,
      decide: () => ({ result: undefined, additions: Object.values(amounts) }),
    });
  }

  it("names every counter under the prefix that has an amount, and nothing of anybody else", async () => {
    const prefix = "a*[b]?:";
    const store = await createRedisStore(redis, { prefix });
    const foreign = await createRedisStore(redis, { prefix: "aXb:" });
    const many = Object.fromEntries(Array.from({ length: 700 }, (_unused, i) => [`key ${String(i)}`, i + 1]));
    await add(store, "pool:{1}", { "key|%7b|{x}": 3, everyone: Number.MAX_SAFE_INTEGER, back: 1 });
    await add(store, "pool:{1}", { back: -1 });
    await add(store, "", { "%odd": -5 });
    await add(store, "many", many);
    await add(foreign, "pool:{1}", { everyone: 99 });
    await redis.call("hset", "another program", "everyone", "1");

    const found: [string, string, number][] = [];
    for await (const { ledger, counters, amounts } of liveCounters(redis, { prefix }, NOW)) {
      expect(counters.length).toBeLessThanOrEqual(500);
      counters.forEach(({ id, bucket, expiresAt }, i) => {
        expect(bucket).toBe(-7);
        expect(expiresAt).toBeGreaterThan(NOW);
        expect(expiresAt).toBeLessThanOrEqual(NOW + 60_000);
        found.push([ledger, id, amounts[i]!]);
      });
    }
    const expected = [
      ["pool:{1}", "key|%7b|{x}", 3],
      ["pool:{1}", "everyone", Number.MAX_SAFE_INTEGER],
      ["", "%odd", -5],
      ...Object.entries(many).map(([id, amount]) => ["many", id, amount]),
    ];
    expect(new Map(found.map(([ledger, id, amount]) => [JSON.stringify([ledger, id]), amount]))).toEqual(
      new Map(expected.map(([ledger, id, amount]) => [JSON.stringify([ledger, id]), amount])),
    );
    expect(found).toHaveLength(expected.length);
    await store.close();
    await foreign.close();
  });
}
