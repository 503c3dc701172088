import type { UsageJson } from "@quota/http";
import { describe, expect, test } from "vitest";
import type { LoggedDecisionJson } from "../server/decisions/decisionsRouter.js";
import type { OverviewJson } from "../server/overview/createOverview.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const NOON = Date.UTC(2026, 0, 15, 12, 5);

async function seen<Body>(answer: Promise<Response>): Promise<Body> {
  const { status, headers } = await answer;
  expect(status).toBe(200);
  expect(headers.get("cache-control")).toBe("no-store");
  return (await (await answer).json()) as Body;
}

/** A gateway whose clock the test moves, with 10 requests an hour on `kimi-demo`: alice and bob have 4 each, carol 2. */
async function gatewayOfTen() {
  const time = { now: NOON };
  const gateway = await startTestGateway({ now: () => time.now });
  await gateway.plan([{ unit: "requests", window: "hourly", limit: 10 }]);
  const { id, version } = await gateway.poolOf("kimi-demo");
  const allocations = [
    { apiKeyId: "alice", weight: 40 },
    { apiKeyId: "bob", weight: 40 },
    { apiKeyId: "carol", weight: 20 },
  ];
  const changed = await gateway.admin(
    "PATCH",
    `/api/quota/pools/${id}`,
    { allocations },
    { "if-match": `"${String(version)}"` },
  );
  expect(changed.status).toBe(200);
  return {
    gateway,
    time,
    poolId: id,
    ask: async (key: string) => {
      const answer = await gateway.ask(key);
      await answer.text();
      await gateway.quiet();
      return answer.status;
    },
    overview: () => seen<OverviewJson>(gateway.admin("GET", "/api/overview")),
    decisions: (query = "") => seen<LoggedDecisionJson[]>(gateway.admin("GET", `/api/decisions${query}`)),
  };
}

async function problem(gateway: TestGateway, path: string): Promise<readonly string[]> {
  const answer = await gateway.admin("GET", path);
  expect(answer.status).toBe(400);
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
  return ((await answer.json()) as { errors: { path: string }[] }).errors.map((fault) => fault.path);
}

describe("GET /api/decisions", () => {
  test("tells what was refused with its numbers, newest first, and nothing of what passed", async () => {
    const { ask, decisions, poolId, time } = await gatewayOfTen();
    for (let i = 0; i < 5; i += 1) expect(await ask("alice")).toBe(200);
    time.now += 1000;
    expect(await ask("alice")).toBe(429);
    time.now += 1000;
    expect(await ask("bob")).toBe(200);
    expect(await ask("alice")).toBe(429);

    const told = await decisions();
    expect(told).toMatchObject([
      { at: NOON + 2000, apiKeyId: "alice", connectionId: "kimi-demo", poolId },
      { at: NOON + 1000 },
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
    expect(told[1]!.decision).toMatchObject({
      status: "refused",
      reason: "fair-share",
      decidedBy: "requests/hourly",
      dimensions: [{ used: 5, total: 5, share: 4, limit: 10, mode: "strict", cost: 1 }],
    });
  });

  test("is narrowed to a key, to a connection, and to both", async () => {
    const { ask, decisions } = await gatewayOfTen();
    for (let i = 0; i < 6; i += 1) await ask("alice");
    for (let i = 0; i < 5; i += 1) await ask("bob");
    const count = async (query: string) => (await decisions(query)).length;
    expect(await count("")).toBe(2);
    expect(await count("?apiKeyId=alice")).toBe(1);
    expect(await count("?connectionId=kimi-demo")).toBe(2);
    expect(await count("?connectionId=kimi-demo&apiKeyId=bob")).toBe(1);
    expect(await count("?connectionId=codex-demo")).toBe(0);
    expect(await count("?apiKeyId=__proto__")).toBe(0);
  });

  test("names whose limit per minute refuses, and its numbers", async () => {
    const { gateway, ask, decisions } = await gatewayOfTen();
    await gateway.admin("POST", "/api/orgs", { id: "acme", rpm: 1 });
    await gateway.admin("PATCH", "/api/keys/alice", { orgId: "acme" });
    expect(await ask("alice")).toBe(200);
    expect(await ask("alice")).toBe(429);
    expect((await decisions()).map(({ decision }) => decision)).toEqual([
      {
        status: "refused",
        allowed: false,
        reason: "rate-limit-rpm",
        refusal: {
          node: { kind: "organisation", id: "acme" },
          dimension: "rpm",
          limit: 1,
          used: 1,
          heldForChildren: 0,
          requested: 1,
        },
        retryAt: Math.ceil(NOON / 60_000) * 60_000 + (NOON % 60_000 === 0 ? 60_000 : 0),
        dimensions: [],
      },
    ]);
  });

  test("refuses a parameter that it does not know, and an id that is none", async () => {
    const { gateway } = await gatewayOfTen();
    expect(await problem(gateway, "/api/decisions?key=alice")).toEqual(["key"]);
    expect(await problem(gateway, "/api/decisions?apiKeyId=&connectionId=")).toEqual([
      "connectionId",
      "apiKeyId",
    ]);
    expect(await problem(gateway, "/api/decisions?apiKeyId=a&apiKeyId=b")).toEqual(["apiKeyId"]);
    expect(await problem(gateway, `/api/decisions?apiKeyId=${"x".repeat(300)}`)).toEqual(["apiKeyId"]);
    expect((await fetch(`${gateway.url}/api/decisions`)).status).toBe(401);
  });
});

describe("GET /api/overview", () => {
  test("tells what there is, what is fullest, who borrows and how often somebody was refused", async () => {
    const { ask, overview, poolId, time } = await gatewayOfTen();
    expect(await overview()).toMatchObject({ pools: 2, keys: 3, keysBorrowing: 0, refusalsLastHour: 0 });
    for (let i = 0; i < 6; i += 1) await ask("alice");
    time.now += 5000;
    const told = await overview();
    expect(told).toMatchObject({
      generatedAt: NOON + 5000,
      pools: 2,
      keys: 3,
      keysBorrowing: 1,
      fullest: { poolId, unit: "requests", window: "hourly", globalUsedPercent: 0.5 },
      refusalsLastHour: 1,
      store: { driver: "sqlite", serving: "sqlite", state: "ok" },
      logins: [],
    });
    expect(told.fullest!.poolName).not.toBe("");
    time.now += 7_200_000;
    expect(await overview()).toMatchObject({ refusalsLastHour: 0, keysBorrowing: 0 });
  });

  test("gives what is younger than five seconds again", async () => {
    const { gateway, overview, time } = await gatewayOfTen();
    const first = await overview();
    await gateway.admin("POST", "/api/keys", { id: "dora" });
    time.now += 4999;
    expect(await overview()).toEqual(first);
    time.now += 1;
    expect(await overview()).toMatchObject({ keys: first.keys + 1, generatedAt: first.generatedAt + 5000 });
  });
});

describe("GET /api/quota/pools/:id/burn", () => {
  test("tells how fast a pool is used up, and how that came about", async () => {
    const { gateway, ask, poolId, time } = await gatewayOfTen();
    for (let i = 0; i < 3; i += 1) {
      if (i > 0) time.now += 10_000;
      await ask("alice");
      await ask("bob");
    }
    const burn = await seen(gateway.admin("GET", `/api/quota/pools/${poolId}/burn`));
    const { dimensions } = await seen<UsageJson>(gateway.admin("GET", `/api/quota/pools/${poolId}/usage`));
    const { perSecond, timeToExhaustionMs } = dimensions[0]!.burnRate;
    expect(burn).toMatchObject({
      poolId,
      generatedAt: time.now,
      dimensions: [
        {
          unit: "requests",
          window: "hourly",
          limit: 10,
          used: 6,
          perSecond,
          timeToExhaustionMs,
          exhaustedAt: Math.ceil(time.now + timeToExhaustionMs!),
          samples: [
            { at: NOON, used: 1, perSecond: 0 },
            { at: NOON + 10_000, perSecond: 0.2 },
            { at: NOON + 20_000, perSecond },
          ],
        },
      ],
    });
    expect(perSecond).toBeCloseTo(0.2, 9);
    expect((await gateway.admin("GET", "/api/quota/pools/nobody/burn")).status).toBe(404);
  });
});
