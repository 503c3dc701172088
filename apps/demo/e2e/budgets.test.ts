import { StoreError } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { openSqliteStorage } from "../server/openSqliteStorage.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

/** A dollar per thousand tokens, whatever they are: what a request may cost is easily said. */
const PRICE = { model: "m", input: 1000, output: 1000 };
const message = [{ role: "user", content: "Say hi" }];
const asking = { model: "m", max_tokens: 100, messages: message };

interface Budgeted {
  readonly version: number;
  readonly budget: {
    readonly limitUsd: string;
    readonly spentUsd: string;
    readonly pendingUsd: string;
    readonly leftUsd: string;
    readonly endsAt: string | null;
  } | null;
}

async function priced(): Promise<TestGateway> {
  const gateway = await startTestGateway();
  expect((await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: [PRICE] })).status).toBe(200);
  return gateway;
}

async function seen(gateway: TestGateway, path = "/api/keys/alice"): Promise<Budgeted> {
  await gateway.quiet();
  return (await (await gateway.admin("GET", path)).json()) as Budgeted;
}

async function drained(gateway: TestGateway): Promise<void> {
  await gateway.quiet();
  await gateway.admin("POST", "/api/spend/queue", { action: "retry" });
}

const DAILY = { limitUsd: 1, period: "day" };

describe("a budget", () => {
  test("lets nothing pass that it has no room for, with the end of its period, in the client's dialect", async () => {
    const gateway = await priced();
    expect(
      (await gateway.admin("PATCH", "/api/keys/alice", { budget: { limitUsd: 0.25, period: "day" } })).status,
    ).toBe(200);
    const answers: Response[] = [];
    for (let i = 0; i < 10; i++) {
      answers.push(await gateway.ask("alice", { body: asking }));
      await answers.at(-1)!.clone().text();
    }
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers.get("x-quota-reason")).toBe("budget_exceeded");
    // From five past noon until midnight.
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(11 * 3600 + 55 * 60);
    expect(await refused.json()).toMatchObject({ error: { code: "budget_exceeded" } });
    const toClaude = await gateway.ask("alice", {
      path: "/v1/messages",
      body: asking,
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect(await toClaude.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
    const { budget } = await seen(gateway);
    expect(Number(budget!.spentUsd) + Number(budget!.pendingUsd)).toBeLessThanOrEqual(1);
    // Others pass.
    expect((await gateway.ask("bob", { body: asking })).status).toBe(200);
  });

  test("is never overrun by many at once, and is charged what they really took", async () => {
    const gateway = await priced();
    await gateway.admin("PATCH", "/api/keys/alice", { budget: DAILY });
    gateway.provider.configure({ pause: "before-answer" });
    let refused = 0;
    const asked = Array.from({ length: 30 }, async () => {
      const answer = await gateway.ask("alice", { body: asking });
      if (answer.status === 429) refused += 1;
      await answer.text();
      return answer.status;
    });
    await expect.poll(() => refused + gateway.provider.state().pausedAnswers, { timeout: 20_000 }).toBe(30);
    const passed = 30 - refused;
    // A hundred tokens of output and some of the prompt are held for each.
    const held = (await (await gateway.admin("GET", "/api/keys/alice")).json()) as Budgeted;
    expect(Number(held.budget!.pendingUsd)).toBeGreaterThan(passed * 0.1);
    expect(Number(held.budget!.pendingUsd)).toBeLessThanOrEqual(1);
    expect(passed).toBeGreaterThan(5);
    gateway.provider.configure({ pause: "none" });
    expect((await Promise.all(asked)).filter((status) => status === 200)).toHaveLength(passed);
    await drained(gateway);
    // Each has taken 30 tokens.
    const { budget } = await seen(gateway);
    expect(budget).toMatchObject({ pendingUsd: "0" });
    expect(Number(budget!.spentUsd)).toBeCloseTo(passed * 0.03, 9);
  });

  test("that is raised lets pass at once, and one that is taken away is gone", async () => {
    const gateway = await priced();
    const status = async (): Promise<number> => (await gateway.ask("alice", { body: asking })).status;
    await gateway.admin("PATCH", "/api/keys/alice", { budget: { limitUsd: 0.01, period: "month" } });
    expect(await status()).toBe(429);
    await gateway.admin("PATCH", "/api/keys/alice", { budget: { limitUsd: 10, period: "month" } });
    expect(await status()).toBe(200);
    await gateway.admin("PATCH", "/api/keys/alice", { budget: { limitUsd: 0, period: "once" } });
    expect(await status()).toBe(429);
    await gateway.admin("PATCH", "/api/keys/alice", { budget: null });
    expect(await status()).toBe(200);
    expect((await seen(gateway)).budget).toBeNull();
  });

  test.each([
    ["a team", "team", "/api/teams/red"],
    ["an organisation", "organisation", "/api/orgs/acme"],
  ])("of %s stops all of its keys", async (_sentence, whose, path) => {
    const gateway = await priced();
    await gateway.admin("POST", "/api/orgs", { id: "acme" });
    await gateway.admin("POST", "/api/teams", { id: "red", orgId: "acme" });
    for (const key of ["alice", "bob"]) await gateway.admin("PATCH", `/api/keys/${key}`, { teamId: "red" });
    const before = (await (await gateway.admin("GET", path)).json()) as Budgeted;
    const patched = await gateway.admin("PATCH", path, { budget: { limitUsd: 0.12, period: "week" } });
    expect(((await patched.json()) as Budgeted).version).toBe(before.version + 1);
    await (await gateway.ask("alice", { body: asking })).text();
    await drained(gateway);
    const refused = await gateway.ask("bob", { body: asking });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain(`${whose} budget`);
    expect((await seen(gateway, path)).budget).toMatchObject({ spentUsd: "0.03", pendingUsd: "0" });
  });

  test("gives back what was held for a request that failed, or that the pool refused", async () => {
    const gateway = await priced();
    await gateway.admin("PATCH", "/api/keys/alice", { budget: DAILY });
    gateway.provider.configure({ failure: "status-500" });
    await (await gateway.ask("alice", { body: asking })).text();
    gateway.provider.configure({ failure: "none" });
    await gateway.plan([{ unit: "tokens", window: "hourly", limit: 10 }]);
    expect((await gateway.ask("alice", { body: asking })).headers.get("x-quota-reason")).not.toBe(
      "budget_exceeded",
    );
    await expect
      .poll(async () => (await seen(gateway)).budget)
      .toMatchObject({ spentUsd: "0", pendingUsd: "0" });
  });

  test("that refuses what has no price names the model; by default it lets it pass", async () => {
    const gateway = await startTestGateway();
    await gateway.admin("PATCH", "/api/keys/alice", { budget: DAILY });
    expect((await gateway.ask("alice")).status).toBe(200);
    await gateway.admin("PATCH", "/api/keys/alice", { budget: { ...DAILY, whenUnpriced: "refuse" } });
    const refused = await gateway.ask("alice");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-should-retry")).toBe("false");
    expect(await refused.json()).toMatchObject({
      error: { code: "budget_unpriced", message: expect.stringContaining('"m"') },
    });
  });

  test("that is none is refused with every fault, and nothing is written", async () => {
    const gateway = await startTestGateway();
    const budget = { limitUsd: -1, period: "year", timeZone: "Mars/Olympus", colour: "red" };
    const answer = await gateway.admin("PATCH", "/api/keys/alice", { name: "Other", budget });
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { readonly errors: readonly { readonly path: string }[] };
    expect(errors.map(({ path }) => path).sort()).toEqual([
      "budget.colour",
      "budget.limitUsd",
      "budget.period",
      "budget.timeZone",
    ]);
    expect(await seen(gateway)).toMatchObject({ name: "alice", version: 1, budget: null });
  });

  test("without its members, or from a moment that is no date, is refused in words of ours, each fault once", async () => {
    const gateway = await startTestGateway();
    for (const [budget, paths] of [
      [{}, ["budget.limitUsd", "budget.period"]],
      [{ ...DAILY, period: "once", since: 9e15 }, ["budget.since"]],
    ] as const) {
      const answer = await gateway.admin("PATCH", "/api/keys/alice", { budget });
      expect(answer.status).toBe(400);
      const text = await answer.text();
      expect(text).not.toContain("Invalid input");
      const { errors } = JSON.parse(text) as { readonly errors: readonly { readonly path: string }[] };
      expect(errors.map(({ path }) => path)).toEqual(paths);
    }
    expect((await gateway.admin("GET", "/api/keys")).status).toBe(200);
  });

  test("holds the output of every answer that a request asks for, where it sets no limit, too", async () => {
    const gateway = await priced();
    await gateway.admin("PATCH", "/api/keys/alice", { budget: { limitUsd: 10, period: "day" } });
    const asked = { model: "m", messages: message };
    expect((await gateway.ask("alice", { body: asked })).status).toBe(200);
    const refused = await gateway.ask("alice", { body: { ...asked, n: 3 } });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-quota-reason")).toBe("budget_exceeded");
  });

  test("goes with its key, and comes with a new one", async () => {
    const gateway = await priced();
    await gateway.admin("POST", "/api/keys", {
      id: "dora",
      budget: { limitUsd: 2, period: "month", timeZone: "Europe/Paris" },
    });
    expect((await seen(gateway, "/api/keys/dora")).budget).toMatchObject({
      limitUsd: "2",
      endsAt: "2026-01-31T23:00:00.000Z",
    });
    await gateway.admin("DELETE", "/api/keys/dora");
    await gateway.admin("POST", "/api/keys", { id: "dora" });
    expect((await seen(gateway, "/api/keys/dora")).budget).toBeNull();
  });

  test("and the prices of connections are part of the configuration", async () => {
    const gateway = await priced();
    await gateway.admin("PATCH", "/api/keys/alice", { budget: DAILY });
    const config = (await (await gateway.admin("GET", "/api/config")).json()) as {
      keys: { id: string; budget?: unknown }[];
      connections: { id: string; prices?: unknown }[];
    };
    expect(config.connections.find(({ id }) => id === "kimi-demo")!.prices).toEqual([PRICE]);
    const other = await startTestGateway();
    expect((await other.admin("PUT", "/api/config", config)).status).toBe(200);
    expect((await seen(other)).budget).toMatchObject({ limitUsd: "1", timeZone: "UTC" });
    const without = config.keys.map((key) => (key.id === "alice" ? { ...key, budget: null } : key));
    await other.admin("PUT", "/api/config", { ...config, keys: without });
    expect((await seen(other)).budget).toBeNull();
    const wrong = config.keys.map((key) => ({ ...key, budget: { limitUsd: "much", period: "day" } }));
    const refused = await other.admin("PUT", "/api/config", { ...config, keys: wrong });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("keys[0].budget.limitUsd");
  });
});

test("who has a budget that cannot be read is told so with 503, and who has none passes without the header", async () => {
  const gateway = await startTestGateway({
    async openStorage(options) {
      const storage = await openSqliteStorage(options);
      const { ledger, budgets } = storage.spend;
      const fails = async (): Promise<never> => {
        throw new StoreError("The ledger is away.", { applied: "no" });
      };
      return {
        ...storage,
        spend: {
          ...storage.spend,
          ledger: { ...ledger, total: fails },
          budgets: { ...budgets, hold: fails },
        },
      };
    },
  });
  await gateway.admin("PATCH", "/api/keys/alice", { budget: DAILY });
  const refused = await gateway.ask("alice");
  expect(refused.status).toBe(503);
  expect(refused.headers.get("x-quota-reason")).toBe("quota_unavailable");
  const passed = await gateway.ask("bob");
  expect(passed.status).toBe(200);
  expect(passed.headers.get("x-litellm-key-spend")).toBeNull();
});
