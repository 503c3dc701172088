import { describe, expect, test } from "vitest";
import type { QuotaStoreStatus } from "../server/quotaStore/quotaStore.js";
import { createHealthCheck, type HealthParts } from "../server/health.js";

function check(parts: Partial<HealthParts> = {}) {
  return createHealthCheck({
    engine: { status: () => ({ openLeases: 3, remembered: 0, storeFailure: undefined }) },
    touch: () => undefined,
    integrity: () => ({ sound: true }),
    quotaStore: { status: () => COUNTING, works: async () => false },
    risks: async () => [],
    compare: async () => ({ differing: [], crowded: [] }),
    logins: () => [],
    spend: () => [],
    isStopping: () => false,
    now: () => 0,
    ...parts,
  });
}

const COUNTING: QuotaStoreStatus = {
  asked: { driver: "sqlite", source: "default", redisUrl: undefined },
  serving: "sqlite",
  state: "ok",
  reason: undefined,
  lastError: undefined,
};

const failing = {
  openLeases: 0,
  remembered: 1,
  storeFailure: { at: 1, cause: new Error("/var/lib/secret/path") },
};

describe("the gateway is", () => {
  test("ok when its store answers and its database is sound", async () => {
    const store = { driver: "sqlite", serving: "sqlite", state: "ok" };
    expect(await check()()).toEqual({
      status: 200,
      body: { status: "ok", reasons: [], openLeases: 3, store, outage: [] },
    });
  });
  test("degraded, and still of use, when it has something else than was asked for", async () => {
    const status = (): QuotaStoreStatus => ({
      ...COUNTING,
      asked: { driver: "redis", source: "environment", redisUrl: "redis://:hunter2@redis" },
      state: "degraded",
      reason: "No Redis here.",
      lastError: { at: 0, said: "Redis does not answer." },
    });
    const health = await check({ quotaStore: { status, works: async () => true } })();
    expect(health).toMatchObject({
      status: 200,
      body: {
        status: "degraded",
        reasons: ["No Redis here."],
        store: {
          driver: "redis",
          serving: "sqlite",
          lastError: { at: "1970-01-01T00:00:00.000Z", said: "Redis does not answer." },
        },
      },
    });
    expect(JSON.stringify(health)).not.toContain("hunter2");
  });
  test("degraded, and still of use, while a connection needs a login", async () => {
    const reason = 'The connection "seat" needs a login: its provider answered 401.';
    expect(await check({ logins: () => [reason] })()).toMatchObject({
      status: 200,
      body: { status: "degraded", reasons: [reason] },
    });
  });
  test("degraded, and of no use, while nothing counts that others would count with", async () => {
    const status = (): QuotaStoreStatus => ({
      ...COUNTING,
      serving: "none",
      state: "degraded",
      reason: "Away.",
    });
    expect(await check({ quotaStore: { status, works: async () => false } })()).toMatchObject({
      status: 503,
      body: { status: "degraded", reasons: ["Away."] },
    });
  });
  test("ok again as soon as its store works, whoever asks first", async () => {
    const works = async () => true;
    const health = check({
      engine: { status: () => failing },
      quotaStore: { status: () => COUNTING, works },
    });
    expect(await health()).toMatchObject({ status: 200, body: { status: "ok" } });
  });
  test.each<[string, Partial<HealthParts>, string]>([
    [
      "its database does not answer",
      {
        touch: () => {
          throw new Error("/path: locked");
        },
      },
      "does not answer",
    ],
    [
      "its database is damaged",
      { integrity: () => ({ sound: false, problem: "row 1 of /path" }) },
      "damaged",
    ],
    ["its store has failed and not worked since", { engine: { status: () => failing } }, "store fails"],
    [
      "the gateways on its store differ",
      { compare: async () => ({ differing: ["The gateways differ in their pools."], crowded: [] }) },
      "differ in their pools",
    ],
    ["it is stopping", { isStopping: () => true }, "stopping"],
  ])("of no use when %s, and says so without a path", async (_, parts, reason) => {
    const { status, body } = await check(parts)();
    expect(status).toBe(503);
    expect(body.reasons.join()).toContain(reason);
    expect(body.reasons.join()).not.toContain("/");
  });
  test("looked at as a whole once a minute, not with every question", async () => {
    let now = 0;
    let looks = 0;
    const ask = check({
      now: () => now,
      integrity: () => {
        looks += 1;
        return { sound: true };
      },
    });
    for (now of [0, 1, 59_999]) await ask();
    expect(looks).toBe(1);
    now = 60_000;
    await ask();
    expect(looks).toBe(2);
  });
});
