import { describe, expect, test, vi } from "vitest";
import type { TrafficClient, TrafficState } from "../server/traffic/createTraffic.js";
import { startTestGateway } from "../test/startTestGateway.js";

const START = Date.UTC(2026, 0, 15, 12, 5);
const WHERE = "/api/demo/traffic";
const PAUSED = { pause: "before-answer" } as const;

/** A newcomer's gateway, on a clock that goes on, from a moment that is far from a window's end. */
async function demo(settings: Parameters<typeof startTestGateway>[0] = {}) {
  const ahead = START - Date.now();
  const gateway = await startTestGateway({ now: () => Date.now() + ahead, ...settings });
  const { admin, usage, provider } = gateway;
  const state = async () => (await (await admin("GET", WHERE)).json()) as TrafficState;
  return {
    gateway,
    provider,
    admin,
    state,
    client: async (id: string) => (await state()).clients.find(({ apiKeyId }) => apiKeyId === id)!,
    put: async (id: string, change: unknown) =>
      (await (await admin("PUT", `${WHERE}/${id}`, change)).json()) as TrafficClient,
    dimension: async (connectionId: string) => {
      const { mode, consumedTotal, perKey } = (await usage(connectionId)).dimensions[0]!;
      return { mode, consumedTotal, bob: perKey.find(({ apiKeyId }) => apiKeyId === "bob")! };
    },
  };
}

/** Looks until it is so: not at every turn of the loop, which would keep what it looks at from getting there. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isSo, { interval: 10, timeout: 30_000 });
}

describe("a newcomer who starts bob's client", () => {
  // Small enough that it takes a second or two: a hundred requests, and an account that 33 answers fill.
  const small = {
    "kimi-demo": async ({ gateway }: Awaited<ReturnType<typeof demo>>) =>
      gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]),
    "codex-demo": async ({ provider }: Awaited<ReturnType<typeof demo>>) => {
      const account = provider.account({ family: "codex", credential: "sk-simulated-seat" });
      const windows = account.settings().windows.map((each) => ({ ...each, limit: each.limit / 40 }));
      account.configure({ windows });
    },
  };

  test.each(["kimi-demo", "codex-demo"] as const)(
    "on %s sees him borrow, then held to his share while alice passes, and everything reopened by the provider's early reset",
    async (connectionId) => {
      const newcomer = await demo();
      await small[connectionId](newcomer);
      const { admin, client, put, dimension, provider } = newcomer;
      expect(await put("bob", { running: true, perSecond: 50, connectionId })).toMatchObject({
        running: true,
        perSecond: 50,
        connectionId,
      });
      await until(async () => (await client("bob")).lastRefusal === "quota_fair_share");
      const strict = await dimension(connectionId);
      expect(strict.mode).toBe("strict");
      expect(strict.bob.borrowing).toBe(true);
      expect(strict.bob.consumed).toBeGreaterThan(strict.bob.fairShare!);
      expect(provider.state().lastRequests.some(({ body }) => body.includes('"stream":true'))).toBe(true);

      await put("alice", { running: true, connectionId });
      await until(async () => (await client("alice")).passed > 0);
      await put("alice", { running: false });
      expect(await client("alice")).toMatchObject({ running: false, refused: 0, failed: 0 });

      // Slowly, so that what he is given back is not gone before anybody looks.
      const { passed } = await put("bob", { running: true, perSecond: 2 });
      expect((await admin("POST", `${WHERE}/reset`, { connectionId })).status).toBe(204);
      await until(async () => (await dimension(connectionId)).mode === "generous");
      await until(async () => (await client("bob")).passed > passed);
      expect((await dimension(connectionId)).consumedTotal).toBeLessThan(strict.consumedTotal);
      expect(await client("bob")).toMatchObject({ failed: 0 });
    },
  );

  test("may have the window reset that was used up before any client ran", async () => {
    const { gateway, admin, dimension } = await demo();
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]);
    for (let i = 0; i < 50; i += 1) expect((await gateway.ask("bob")).status).toBe(200);
    await gateway.quiet();
    expect((await gateway.ask("bob")).status).toBe(429);
    await admin("POST", `${WHERE}/reset`, { connectionId: "kimi-demo" });
    await until(async () => (await dimension("kimi-demo")).mode === "generous");
    expect((await gateway.ask("bob")).status).toBe(200);
  });
});

describe("a client", () => {
  test("keeps no more than twenty requests under way, counts what it leaves out, and gives all of them up when it is stopped", async () => {
    const { gateway, provider, client, put } = await demo();
    provider.configure(PAUSED);
    await put("alice", { running: true, perSecond: 50 });
    await until(async () => (await client("alice")).skipped > 0);
    expect(await client("alice")).toMatchObject({ sent: 20, passed: 0, refused: 0, failed: 0 });
    await provider.until(({ openRequests }) => openRequests === 20);
    expect(await put("alice", { running: false })).toMatchObject({ running: false, sent: 20 });
    await provider.until(({ openRequests }) => openRequests === 0);
    await gateway.quiet();
    const stopped = await client("alice");
    expect(stopped).toMatchObject({ running: false, passed: 0, failed: 0 });
    expect(provider.state().requests.seen).toBe(stopped.sent);
  });

  test("does not outlive the gateway, nor hold up its end", async () => {
    const { gateway, provider, put } = await demo();
    provider.configure(PAUSED);
    await put("bob", { running: true });
    await provider.until(({ openRequests }) => openRequests > 0);
    await gateway.stop(3_600_000);
    expect(gateway.logged.join("")).not.toMatch(/a request failed|the grace is over/u);
  });

  test("counts what fails, and goes on", async () => {
    const { provider, client, put } = await demo();
    provider.configure({ failure: "status-500" });
    await put("carol", { running: true, perSecond: 50 });
    await until(async () => (await client("carol")).failed > 1);
    provider.configure({ failure: "none" });
    await until(async () => (await client("carol")).passed > 0);
  });

  test("stops where its key is disabled or the connection is the simulator's no more: it spends nothing of anybody's", async () => {
    const { admin, state, client, put } = await demo();
    for (const id of ["bob", "carol"])
      await put(id, { running: true, perSecond: 50, connectionId: "codex-demo" });
    await admin("POST", "/api/keys/carol/disable");
    expect((await state()).clients.map(({ apiKeyId }) => apiKeyId)).toEqual(["alice", "bob"]);
    expect((await admin("PUT", `${WHERE}/carol`, { running: true })).status).toBe(404);
    // It was her turn several times.
    const { sent, skipped } = await client("bob");
    await until(async () => {
      const now = await client("bob");
      return now.sent + now.skipped > sent + skipped + 3;
    });
    await admin("POST", "/api/keys/carol/enable");
    expect(await client("carol")).toMatchObject({ running: false, failed: 0 });

    await put("alice", { running: true, perSecond: 50 });
    await admin("PATCH", "/api/connections/kimi-demo", { baseUrl: "http://127.0.0.1:9/v1" });
    await until(async () => !(await client("alice")).running);
    expect((await state()).connections).toEqual([{ id: "codex-demo", name: "Codex seat" }]);
  });
});

describe("the routes", () => {
  test("show a client for each demo key, and the pools that they may ask", async () => {
    const { state } = await demo();
    const counts = { sent: 0, passed: 0, refused: 0, failed: 0, skipped: 0 };
    const idle = { connectionId: "kimi-demo", perSecond: 40, running: false, ...counts };
    expect(await state()).toEqual({
      clients: ["alice", "bob", "carol"].map((apiKeyId) => ({ apiKeyId, ...idle })),
      connections: [
        { id: "kimi-demo", name: "Demo team" },
        { id: "codex-demo", name: "Codex seat" },
      ],
    });
  });

  test("say what is wrong with a body, and what would be right", async () => {
    const { admin, state } = await demo();
    const before = await state();
    const rate = "must be a number from 0.1 to 50, requests a second.";
    const choice = "must be one of kimi-demo, codex-demo.";
    const cases = [
      [{}, "running must be true or false."],
      [{ running: "yes" }, "running must be true or false."],
      [{ running: true, perSecond: 0 }, `perSecond ${rate}`],
      [{ running: true, perSecond: 51 }, `perSecond ${rate}`],
      [{ running: true, perSecond: "10" }, `perSecond ${rate}`],
      [{ running: true, connectionId: "mine" }, `connectionId ${choice}`],
      [{ running: true, speed: 3 }, "speed is not known here; take it out, or spell it right."],
      [7, "The body must be an object."],
    ] as const;
    for (const [body, detail] of cases) {
      const answer = await admin("PUT", `${WHERE}/alice`, body);
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ detail })]);
    }
    const reset = await admin("POST", `${WHERE}/reset`, { connectionId: "mine" });
    expect([reset.status, await reset.json()]).toEqual([
      400,
      expect.objectContaining({ detail: `connectionId ${choice}` }),
    ]);
    expect((await admin("PUT", `${WHERE}/dave`, { running: true })).status).toBe(404);
    expect(await state()).toEqual(before);
  });

  test("ask for the admin token", async () => {
    const { gateway } = await demo();
    const answers = [
      await fetch(gateway.url + WHERE),
      await fetch(`${gateway.url}${WHERE}/bob`, { method: "PUT", body: '{"running":true}' }),
      await fetch(`${gateway.url}${WHERE}/reset`, { method: "POST", body: '{"connectionId":"kimi-demo"}' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  test.each([
    ["others can reach the gateway", { host: "0.0.0.0" }],
    [
      "the first connection is somebody's own",
      { upstream: { baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-own", provider: "openai" } },
    ],
  ])("are not there where %s", async (_why, settings) => {
    const { admin } = await demo({ settings });
    const answers = [
      await admin("GET", WHERE),
      await admin("PUT", `${WHERE}/bob`, { running: true }),
      await admin("POST", `${WHERE}/reset`, { connectionId: "kimi-demo" }),
    ];
    for (const { status, headers } of answers)
      expect([status, headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  });
});
