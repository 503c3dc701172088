import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRedis } from "../server/quotaStore/openRedis.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

const PATH = "/api/settings/sharing";
const THRESHOLD = { least: 0, most: 1, variable: "QUOTA_SATURATION_THRESHOLD" };
const FACTOR = { least: 0, most: 1, variable: "QUOTA_SOFT_DEPRIORITIZE_FACTOR" };
const RETENTION = { least: 0, most: 36_500, variable: "QUOTA_CONSUMPTION_RETENTION_DAYS" };
const DEFAULTS = {
  saturationThreshold: { value: 0.5, source: "default", ...THRESHOLD },
  softDeprioritizeFactor: { value: 0.7, source: "default", ...FACTOR },
  consumptionRetentionDays: { value: 14, source: "default", ...RETENTION },
};

const shown = async ({ admin }: Pick<TestGateway, "admin">) => (await admin("GET", PATH)).json();
const put = async ({ admin }: Pick<TestGateway, "admin">, body: unknown) => {
  const answer = await admin("PUT", PATH, body);
  return { status: answer.status, json: await answer.json() };
};
const hourly = (limit: number) => [{ unit: "requests", window: "hourly", limit }] as const;

/** Waits for what another process is to notice; the test's own time-out is the end of it. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

function inDatabase(dataDir: string, sql: string, ...values: unknown[]): unknown[] {
  const db = new Database(join(dataDir, "storage.sqlite"));
  try {
    const statement = db.prepare(sql);
    return statement.reader ? statement.all(...values) : [statement.run(...values)];
  } finally {
    db.close();
  }
}

describe("the settings of sharing", () => {
  test("are the database's, else the environment's, else the defaults; null takes the database's back", async () => {
    const gateway = await startTestGateway({ settings: { softDeprioritizeFactor: 0.3 } });
    const atFirst = { ...DEFAULTS, softDeprioritizeFactor: { value: 0.3, source: "environment", ...FACTOR } };
    expect(await shown(gateway)).toEqual(atFirst);

    const changed = {
      saturationThreshold: { value: 0, source: "database", ...THRESHOLD },
      softDeprioritizeFactor: { value: 1, source: "database", ...FACTOR },
      consumptionRetentionDays: { value: 14, source: "default", ...RETENTION },
    };
    const body = { saturationThreshold: 0, softDeprioritizeFactor: 1, consumptionRetentionDays: null };
    expect(await put(gateway, body)).toEqual({ status: 200, json: changed });
    expect(await shown(gateway)).toEqual(changed);
    expect(await put(gateway, {})).toEqual({ status: 200, json: changed });

    expect(await put(gateway, { softDeprioritizeFactor: null })).toEqual({
      status: 200,
      json: { ...changed, softDeprioritizeFactor: { value: 0.3, source: "environment", ...FACTOR } },
    });
    expect((await put(gateway, { saturationThreshold: null })).json).toEqual(atFirst);
  });

  test("are 400 out of range, with every fault at once in the environment's own words, and nothing is changed", async () => {
    const gateway = await startTestGateway();
    const bad = await put(gateway, {
      saturationThreshold: 1.01,
      softDeprioritizeFactor: "0.5",
      consumptionRetentionDays: 36_501,
      threshold: 0.5,
    });
    expect(bad).toMatchObject({
      status: 400,
      json: {
        errors: [
          {
            path: "saturationThreshold",
            message: "saturationThreshold must be a number from 0 to 1, or null to take it back.",
          },
          { path: "softDeprioritizeFactor" },
          {
            path: "consumptionRetentionDays",
            message: "consumptionRetentionDays must be a number from 0 to 36500, or null to take it back.",
          },
          { path: "threshold" },
        ],
      },
    });
    const half = await put(gateway, { saturationThreshold: 0.9, softDeprioritizeFactor: -1 });
    expect(half).toMatchObject({ status: 400, json: { errors: [{ path: "softDeprioritizeFactor" }] } });
    for (const none of [[], null, 0.5, "x"]) expect((await put(gateway, none)).status).toBe(400);
    expect(await shown(gateway)).toEqual(DEFAULTS);
    for (const method of ["GET", "PUT"])
      expect((await fetch(gateway.url + PATH, { method })).status).toBe(401);
  });

  test("turn a pool strict, and generous again, in the next decision, while traffic flows", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(hourly(100_000));
    await put(gateway, { saturationThreshold: 1 });
    // Half as much again as her share.
    const carol = { apiKeyId: "carol", connectionId: "kimi-demo", provider: "kimi" };
    await gateway.engine.consume({ ...carol, amounts: { requests: 30_000 } });

    const traffic = { flows: true };
    const statuses = new Set<number>();
    const flow = (async () => {
      while (traffic.flows) {
        const answer = await gateway.ask("bob");
        statuses.add(answer.status);
        await answer.text();
      }
    })();
    const standing = async () => {
      const { mode } = (await gateway.usage()).dimensions[0]!;
      const pool = await gateway.poolOf("kimi-demo");
      const path = `/api/quota/preview?poolId=${pool.id}&apiKeyId=carol&estimatedRequests=1`;
      const preview = (await (await gateway.admin("GET", path)).json()) as { status: string };
      return { mode, preview: preview.status };
    };
    try {
      expect(await standing()).toEqual({ mode: "generous", preview: "allowed" });
      await put(gateway, { saturationThreshold: 0.05 });
      expect(await standing()).toEqual({ mode: "strict", preview: "refused" });
      await put(gateway, { saturationThreshold: 0.9 });
      expect(await standing()).toEqual({ mode: "generous", preview: "allowed" });
    } finally {
      traffic.flows = false;
      await flow;
    }
    expect([...statuses]).toEqual([200]);
  });

  test("refuse and let pass at /v1 as they say", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(hourly(10));
    await put(gateway, { saturationThreshold: 1 });
    for (let i = 0; i < 5; i += 1) expect((await gateway.ask("carol")).status).toBe(200);
    await gateway.quiet();
    await put(gateway, { saturationThreshold: 0.3 });
    expect((await gateway.ask("carol")).status).toBe(429);
    expect((await gateway.ask("bob")).status).toBe(200);
    await put(gateway, { saturationThreshold: 1 });
    expect((await gateway.ask("carol")).status).toBe(200);
  });

  test("are in force in another gateway on the same directory, and after a start", async () => {
    const dataDir = temporaryDirectory();
    const one = await startTestGateway({ dataDir });
    const two = await startTestGateway({ dataDir, settings: { consumptionRetentionDays: 3 } });
    await one.plan(hourly(10));
    for (let i = 0; i < 3; i += 1) expect((await two.ask("carol")).status).toBe(200);
    await two.quiet();
    const mode = async () => (await two.usage()).dimensions[0]!.mode;
    expect(await mode()).toBe("generous");
    await put(one, { saturationThreshold: 0.1, consumptionRetentionDays: 2.5 });
    await until(async () => (await mode()) === "strict");
    expect((await two.ask("carol")).status).toBe(429);
    const expected = {
      ...DEFAULTS,
      saturationThreshold: { value: 0.1, source: "database", ...THRESHOLD },
      consumptionRetentionDays: { value: 2.5, source: "database", ...RETENTION },
    };
    expect(await shown(two)).toEqual(expected);
    await put(two, { consumptionRetentionDays: null });
    expect(await shown(two)).toMatchObject({
      consumptionRetentionDays: { value: 3, source: "environment" },
    });
    const days = { consumptionRetentionDays: DEFAULTS.consumptionRetentionDays };
    await until(async () => JSON.stringify(await shown(one)).includes(JSON.stringify(days).slice(1, -1)));
    await one.stop(0);
    await two.stop(0);
    const again = await startTestGateway({ dataDir });
    expect(await shown(again)).toEqual({ ...expected, ...days });
  });

  test.each([
    ["quotaStore.saturationThreshold", "1.5", /is 1\.5; it must be a number from 0 to 1\.$/u],
    ["quotaStore.softDeprioritizeFactor", '"half"', /is "half"; it must be a number from 0 to 1\.$/u],
    ["quotaStore.consumptionRetentionDays", "null", /is null; it must be a number from 0 to 36500\.$/u],
    ["quotaStore.saturationThreshold", "[0.5]", /is \[0\.5\]; it must/u],
    ["quotaStore.consumptionRetentionDays", "two weeks", /cannot be read/u],
  ])("%s that is %s in the database stops the start, and is not followed later", async (name, text, said) => {
    const dataDir = temporaryDirectory();
    const gateway = await startTestGateway({ dataDir });
    await put(gateway, { saturationThreshold: 0.4 });
    const write =
      "INSERT INTO quota_settings (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value";
    inDatabase(dataDir, write, name, text);
    await until(async () => gateway.logged.some((line) => line.includes("quota:settings")));
    expect(await shown(gateway)).toMatchObject({ saturationThreshold: { value: 0.4, source: "database" } });
    await gateway.stop(0);
    const error: unknown = await startTestGateway({ dataDir }).catch((each: unknown) => each);
    expect(error).toMatchObject({ name: "StartError", message: expect.stringMatching(said) });
    expect((error as Error).message).toContain(`The setting ${name} in the database`);
  });

  test("say how long counters are kept, from the moment they are changed", async () => {
    const dataDir = temporaryDirectory();
    const time = { now: Date.UTC(2026, 0, 15, 12, 5) };
    const gateway = await startTestGateway({ dataDir, now: () => time.now });
    await gateway.plan(hourly(10));
    await (await gateway.ask("carol")).text();
    await gateway.quiet();
    time.now += 5 * 86_400_000;
    const kept = () =>
      inDatabase(dataDir, "SELECT 1 FROM quota_consumption WHERE expires_at < ?", time.now).length;
    expect(kept()).toBeGreaterThan(0);
    await put(gateway, { softDeprioritizeFactor: 0.1, consumptionRetentionDays: 6 });
    expect(kept()).toBeGreaterThan(0);
    await put(gateway, { consumptionRetentionDays: 2 });
    await until(async () => kept() === 0);
  });

  test("are no part of a configuration: an import leaves them alone", async () => {
    const gateway = await startTestGateway();
    const config = (await (await gateway.admin("GET", "/api/config")).json()) as object;
    await put(gateway, { saturationThreshold: 0.25 });
    expect(await (await gateway.admin("GET", "/api/config")).json()).toEqual(config);
    expect((await gateway.admin("PUT", "/api/config", config)).status).toBe(200);
    expect(await shown(gateway)).toMatchObject({ saturationThreshold: { value: 0.25, source: "database" } });
  });
});

describeWithRedis("gateways on one Redis", () => {
  test("are told apart by the threshold in force, whoever says it", async () => {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    const settings = { storeDriver: "redis", storeRedisUrl: redis.url, replicas: 2 } as const;
    const one = await startTestGateway({ openRedis, settings });
    const two = await startTestGateway({ openRedis, settings: { ...settings, saturationThreshold: 0.25 } });
    const config = (await (await one.admin("GET", "/api/config")).json()) as object;
    expect((await two.admin("PUT", "/api/config", config)).status).toBe(200);
    const health = async () => {
      await fetch(`${one.url}/healthz`);
      return (await (await fetch(`${two.url}/healthz`)).json()) as { status: string; reasons: string[] };
    };
    const differing =
      /differ in their settings: give them .*the same settings \(PUT \/api\/settings\/sharing\)/u;
    expect((await health()).reasons.join(" ")).toMatch(differing);
    await put(one, { saturationThreshold: 0.25 });
    expect((await health()).reasons.join(" ")).not.toMatch(/differ/u);
    await put(two, { saturationThreshold: 0.75 });
    expect((await health()).reasons.join(" ")).toMatch(differing);
    // The factor and the days change no number that is shared.
    await put(two, { saturationThreshold: null, softDeprioritizeFactor: 0.1, consumptionRetentionDays: 1 });
    expect((await health()).reasons.join(" ")).not.toMatch(/differ/u);
  });
});
