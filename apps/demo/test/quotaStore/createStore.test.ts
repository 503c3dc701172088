import { join } from "node:path";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSecretFiles } from "../../server/secretFiles.js";
import { createStore } from "../../server/quotaStore/createStore.js";
import type { OpenedRedis } from "../../server/quotaStore/openedRedis.js";
import { StoreChangeRefused } from "../../server/quotaStore/storeChangeRefused.js";
import { createStoreSettings, type StoreEnvironment } from "../../server/quotaStore/storeSettings.js";
import { temporaryDirectory } from "../temporaryDirectory.js";
import { countedInSqlite } from "./countedInSqlite.js";
import { add, held, NOW } from "./counting.js";

const URL_WITH_PASSWORD = "redis://:hunter2@redis.example:6379/0";
const FROM_REDIS = { driver: "redis", redisUrl: URL_WITH_PASSWORD } as const;
const LATER = NOW + 600_000;

/** A gateway's choice of store, where `away` says whether the other store answers. The other one is a file as well: it counts as Redis would. */
async function setUp(
  options: {
    readonly environment?: StoreEnvironment;
    readonly stored?: Record<string, unknown>;
    readonly replicas?: number;
    readonly neighbours?: number;
    readonly away?: boolean;
    /** What is wrong with a Redis that answers. */
    readonly warns?: string;
    /** What SQLite holds before the start, of everybody. */
    readonly everyone?: number;
  } = {},
) {
  const logged: string[] = [];
  const stored = new Map<string, unknown>(Object.entries(options.stored ?? {}));
  const sqlite = await countedInSqlite();
  await add(sqlite.store, { everyone: options.everyone ?? 0 });
  const other = await countedInSqlite();
  const world = { away: options.away ?? false, opened: [] as string[], closed: 0, failsToWrite: false };
  const begin = () =>
    createStore({
      sqlite,
      settings: createStoreSettings({
        settings: {
          get: async (name) => stored.get(name),
          async set(name, value) {
            if (world.failsToWrite) throw new Error("The disk is full.");
            stored.set(name, value);
          },
        },
        secrets: createSecretFiles(join(temporaryDirectory(), "secrets")),
        environment: options.environment ?? { driver: undefined, redisUrl: undefined },
      }),
      async openRedis(url, onWarning): Promise<OpenedRedis> {
        if (world.away) throw Object.assign(new Error(`connect to ${url} failed`), { code: "ECONNREFUSED" });
        world.opened.push(url);
        if (options.warns !== undefined) onWarning(options.warns);
        return {
          ...other,
          clock: { now: () => LATER },
          ask: async () => undefined,
          close: async () => void (world.closed += 1),
        };
      },
      replicas: options.replicas ?? 1,
      neighbours: () => options.neighbours ?? 0,
      clock: { now: () => NOW },
      log: pino({ level: "debug" }, { write: (line) => void logged.push(line) }),
      retryMs: 1,
    });
  const quotaStore = await begin();
  onTestFinished(async () => {
    await quotaStore.close();
    expect(logged.join("")).not.toContain("hunter2");
  });
  return { quotaStore, sqlite, other, world, logged, stored };
}

/** Lets the timers run until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe("the driver is", () => {
  test.each<[string, StoreEnvironment, Record<string, unknown>, string, string]>([
    [
      "sqlite, where nobody says anything",
      { driver: undefined, redisUrl: undefined },
      {},
      "sqlite",
      "default",
    ],
    ["what the environment says", FROM_REDIS, {}, "redis", "environment"],
    [
      "what the database says, before the environment",
      FROM_REDIS,
      { "quotaStore.driver": "sqlite" },
      "sqlite",
      "database",
    ],
    [
      "redis where the database says so, at the address of the environment",
      { driver: "sqlite", redisUrl: URL_WITH_PASSWORD },
      { "quotaStore.driver": "redis" },
      "redis",
      "database",
    ],
  ])("%s", async (_, environment, stored, serving, source) => {
    const { quotaStore, other } = await setUp({ environment, stored });
    await add(quotaStore.store, { everyone: 1 });
    expect(await held(other.store, ["everyone"])).toEqual([serving === "redis" ? 1 : 0]);
    expect(quotaStore.status()).toMatchObject({ serving, state: "ok", asked: { source } });
    expect(quotaStore.clock.now()).toBe(serving === "redis" ? LATER : NOW);
  });
});

describe("one gateway that is to count in Redis", () => {
  test("says once under quota:factory what is wrong with it, and counts there", async () => {
    const { quotaStore, logged } = await setUp({ environment: FROM_REDIS, warns: "It evicts." });
    expect(quotaStore.status()).toMatchObject({ serving: "redis", state: "ok" });
    const said = logged.map((line) => JSON.parse(line) as unknown);
    expect(said).toMatchObject([{ level: 40, scope: "quota:factory", msg: "It evicts." }]);
  });

  test("counts in SQLite where there is no address, says so once under quota:factory, and is degraded", async () => {
    const { quotaStore, sqlite, logged } = await setUp({
      environment: { driver: "redis", redisUrl: undefined },
    });
    await add(quotaStore.store, { everyone: 1 });
    expect(await held(sqlite.store, ["everyone"])).toEqual([1]);
    expect(quotaStore.status()).toMatchObject({
      serving: "sqlite",
      state: "degraded",
      reason: expect.stringContaining("QUOTA_STORE_REDIS_URL"),
    });
    const said = logged.map((line) => JSON.parse(line) as { level: number; scope: string });
    expect(said).toMatchObject([{ level: 40, scope: "quota:factory" }]);
  });

  test("counts in SQLite while the server does not answer, and takes that along as soon as it does", async () => {
    const { quotaStore, sqlite, other, world, logged } = await setUp({ environment: FROM_REDIS, away: true });
    await add(other.store, { everyone: 10 });
    await add(quotaStore.store, { everyone: 1, alice: 1 });
    expect(quotaStore.status()).toMatchObject({
      serving: "sqlite",
      state: "degraded",
      reason:
        "The quota store is to be Redis, which does not answer (ECONNREFUSED); SQLite counts until it does.",
      lastError: { at: NOW, said: "Redis does not answer (ECONNREFUSED)." },
    });
    world.away = false;
    await until(() => quotaStore.status().state === "ok");
    expect(await held(quotaStore.store, ["everyone", "alice"])).toEqual([11, 1]);
    await add(quotaStore.store, { everyone: 1 });
    expect(await held(other.store, ["everyone", "alice"])).toEqual([12, 1]);
    expect(await held(sqlite.store, ["everyone", "alice"])).toEqual([0, 0]);
    expect(quotaStore.clock.now()).toBe(LATER);
    expect(logged).toHaveLength(2);
  });

  test("takes along at its start what SQLite holds from before", async () => {
    const { quotaStore, sqlite } = await setUp({ environment: FROM_REDIS, everyone: 4 });
    expect(quotaStore.status()).toMatchObject({ serving: "redis", state: "ok" });
    expect(await held(sqlite.store, ["everyone"])).toEqual([0]);
    expect(await held(quotaStore.store, ["everyone"])).toEqual([4]);
  });
});

describe("one of several gateways that are to count in Redis", () => {
  test("does not fall back: it counts nothing until the server answers, and then without what SQLite holds", async () => {
    const { quotaStore, world } = await setUp({
      environment: FROM_REDIS,
      replicas: 3,
      away: true,
      everyone: 5,
    });
    await expect(add(quotaStore.store, { everyone: 1 })).rejects.toMatchObject({
      name: "StoreError",
      applied: "no",
      message: expect.stringContaining("QUOTA_REPLICAS 3"),
    });
    expect(quotaStore.status()).toMatchObject({ serving: "none", state: "degraded" });
    expect(await quotaStore.works()).toBe(false);
    world.away = false;
    await until(() => quotaStore.status().state === "ok");
    expect(await quotaStore.works()).toBe(true);
    await add(quotaStore.store, { everyone: 1 });
    expect(await held(quotaStore.store, ["everyone"])).toEqual([1]);
  });

  test("may be given the address it lacks", async () => {
    const { quotaStore, world } = await setUp({
      environment: { driver: "redis", redisUrl: undefined },
      replicas: 3,
    });
    await quotaStore.change({ driver: "redis", redisUrl: URL_WITH_PASSWORD, takesEffect: "now" });
    expect(quotaStore.status()).toMatchObject({ serving: "redis", state: "ok" });
    expect(world.opened).toEqual([URL_WITH_PASSWORD]);
  });

  test("does not change by itself while it counts with the others", async () => {
    const { quotaStore, stored } = await setUp({ environment: FROM_REDIS, replicas: 3 });
    await expect(quotaStore.change({ driver: "sqlite", takesEffect: "now" })).rejects.toThrow(
      /^QUOTA_REPLICAS is 3, and all gateways must change together\. .+next-start/u,
    );
    expect([quotaStore.status().serving, stored.size]).toEqual(["redis", 0]);
    await quotaStore.change({ driver: "sqlite", takesEffect: "next-start" });
    expect([quotaStore.status().serving, stored.get("quotaStore.driver")]).toEqual(["redis", "sqlite"]);
  });
});

describe("a change of the store", () => {
  test("carries over what is counted and held, there and back, while requests go on", async () => {
    const { quotaStore, sqlite, other, stored, world } = await setUp();
    await add(quotaStore.store, { everyone: 5, alice: 5 });
    const crowd = Array.from({ length: 50 }, () => add(quotaStore.store, { everyone: 1 }));
    await quotaStore.change({ driver: "redis", redisUrl: URL_WITH_PASSWORD, takesEffect: "now" });
    await Promise.all(crowd);
    expect(await held(other.store, ["everyone", "alice"])).toEqual([55, 5]);
    expect(await held(sqlite.store, ["everyone", "alice"])).toEqual([0, 0]);
    expect(stored).toEqual(new Map([["quotaStore.driver", "redis"]]));
    expect(quotaStore.status()).toMatchObject({ serving: "redis", asked: { source: "database" } });

    await quotaStore.change({ driver: "sqlite", takesEffect: "now" });
    expect(await held(sqlite.store, ["everyone", "alice"])).toEqual([55, 5]);
    expect(await held(other.store, ["everyone", "alice"])).toEqual([0, 0]);
    expect([quotaStore.clock.now(), world.closed]).toEqual([NOW, 1]);
  });

  test.each<[string, Parameters<typeof setUp>[0], RegExp]>([
    [
      "Redis does not answer",
      { away: true },
      /^Redis does not answer \(ECONNREFUSED\); nothing was changed\./u,
    ],
    [
      "another gateway runs on the directory",
      { neighbours: 1 },
      /^Another gateway runs on this data directory/u,
    ],
  ])("is refused when %s, and nothing is changed", async (_, options, sentence) => {
    const { quotaStore, stored } = await setUp(options);
    await add(quotaStore.store, { everyone: 5 });
    const change = quotaStore.change({ driver: "redis", redisUrl: URL_WITH_PASSWORD, takesEffect: "now" });
    await expect(change).rejects.toThrow(StoreChangeRefused);
    await expect(change).rejects.toThrow(sentence);
    expect(quotaStore.status()).toMatchObject({
      serving: "sqlite",
      state: "ok",
      asked: { driver: "sqlite" },
    });
    expect([stored.size, await held(quotaStore.store, ["everyone"])]).toEqual([0, [5]]);
  });

  test("is refused when it cannot be written down, and what was copied is taken back", async () => {
    const { quotaStore, sqlite, other, world } = await setUp();
    await add(quotaStore.store, { everyone: 5 });
    world.failsToWrite = true;
    const change = quotaStore.change({ driver: "redis", redisUrl: URL_WITH_PASSWORD, takesEffect: "now" });
    await expect(change).rejects.toThrow("could not be");
    expect(await held(other.store, ["everyone"])).toEqual([0]);
    expect(await held(sqlite.store, ["everyone"])).toEqual([5]);
    expect([quotaStore.status().serving, world.closed]).toEqual(["sqlite", 1]);
  });

  test("to sqlite ends the waiting for a Redis that does not answer", async () => {
    const { quotaStore, world } = await setUp({ environment: FROM_REDIS, away: true });
    await add(quotaStore.store, { everyone: 1 });
    await quotaStore.change({ driver: "sqlite", takesEffect: "now" });
    expect(quotaStore.status()).toMatchObject({ serving: "sqlite", state: "ok", reason: undefined });
    world.away = false;
    await quotaStore.change({ driver: "sqlite", takesEffect: "now" });
    expect([world.opened, await held(quotaStore.store, ["everyone"])]).toEqual([[], [1]]);
  });

  test("that asks for what there is, changes nothing but who says so", async () => {
    const { quotaStore, world } = await setUp({ environment: FROM_REDIS });
    await quotaStore.change({ driver: "redis", takesEffect: "now" });
    expect(quotaStore.status()).toMatchObject({ serving: "redis", asked: { source: "database" } });
    expect(world).toMatchObject({ opened: [URL_WITH_PASSWORD], closed: 0 });
  });
});
