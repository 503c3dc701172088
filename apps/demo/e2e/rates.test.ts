import Anthropic from "@anthropic-ai/sdk";
import Database from "better-sqlite3";
import OpenAI from "openai";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RatesJson } from "../server/rateRoutes.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

const THOUSAND = [{ unit: "requests", window: "hourly", limit: 1000 }] as const;
const streaming = { model: "m", stream: true, messages: [{ role: "user", content: "Say hi" }] };

async function write(gateway: TestGateway, method: string, path: string, body: unknown): Promise<void> {
  const answer = await gateway.admin(method, path, body);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

/** A gateway with the organisation `acme`, and alice and bob in it, each with these limits. */
async function acme(
  {
    org = {},
    alice = {},
    bob = {},
  }: { readonly org?: object; readonly alice?: object; readonly bob?: object },
  options: Parameters<typeof startTestGateway>[0] = {},
): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  await gateway.plan(THOUSAND);
  await write(gateway, "POST", "/api/orgs", { id: "acme", ...org });
  await write(gateway, "PATCH", "/api/keys/alice", { orgId: "acme", ...alice });
  await write(gateway, "PATCH", "/api/keys/bob", { orgId: "acme", ...bob });
  return gateway;
}

async function rates(gateway: TestGateway, path: string): Promise<RatesJson> {
  return (await (await gateway.admin("GET", `/api/rates/${path}`)).json()) as RatesJson;
}

/** What a node has used, once nothing is in flight. */
async function used(gateway: TestGateway, path: string): Promise<{ rpm: unknown; tpm: unknown }> {
  await gateway.quiet();
  const { rpm, tpm } = await rates(gateway, path);
  return { rpm: rpm.used, tpm: tpm.used };
}

async function statuses(gateway: TestGateway, key: string, times: number): Promise<number[]> {
  const answers = Array.from({ length: times }, async () => {
    const answer = await gateway.ask(key);
    await answer.text();
    return answer.status;
  });
  return (await Promise.all(answers)).sort();
}

async function poolBooks(gateway: TestGateway) {
  await gateway.quiet();
  const [dimension] = (await gateway.usage()).dimensions;
  return { consumed: dimension!.consumedTotal, held: dimension!.held };
}

const times = (count: number, status: number): number[] => Array<number>(count).fill(status);

describe("limits per minute", () => {
  test("a refused request charges nobody: org 10, alice 2, bob none; alice sends 10, then bob 8", async () => {
    const gateway = await acme({ org: { rpm: 10 }, alice: { rpm: 2 } });
    expect(await statuses(gateway, "alice", 10)).toEqual([...times(2, 200), ...times(8, 429)]);
    expect((await used(gateway, "org/acme")).rpm).toBe(2);
    expect(await statuses(gateway, "bob", 8)).toEqual(times(8, 200));
    expect((await used(gateway, "org/acme")).rpm).toBe(10);
    expect((await used(gateway, "key/bob")).rpm).toBe(8);
    expect(await statuses(gateway, "bob", 1)).toEqual([429]);
    expect((await used(gateway, "org/acme")).rpm).toBe(10);
    expect(await poolBooks(gateway)).toEqual({ consumed: 10, held: 0 });
    expect(gateway.provider.state().requests.seen).toBe(10);
  });

  test("a sibling's unused share is kept for it, whatever the others do", async () => {
    const gateway = await acme({ org: { rpm: 10 }, alice: { rpm: 4 } });
    expect(await statuses(gateway, "bob", 8)).toEqual([...times(6, 200), ...times(2, 429)]);
    expect(await rates(gateway, "org/acme")).toMatchObject({
      rpm: { limit: 10, used: 6, heldForChildren: 4, left: 0 },
    });
    expect(await statuses(gateway, "alice", 5)).toEqual([...times(4, 200), 429]);
    expect((await used(gateway, "org/acme")).rpm).toBe(10);
  });

  test("reach down through a team, and stop at whoever belongs elsewhere", async () => {
    const gateway = await startTestGateway();
    await write(gateway, "POST", "/api/orgs", { id: "acme", rpm: 5 });
    await write(gateway, "POST", "/api/teams", { id: "red", orgId: "acme", rpm: 3 });
    await write(gateway, "PATCH", "/api/keys/alice", { teamId: "red" });
    await write(gateway, "PATCH", "/api/keys/bob", { orgId: "acme" });
    expect(await statuses(gateway, "alice", 4)).toEqual([...times(3, 200), 429]);
    expect(await statuses(gateway, "bob", 3)).toEqual([...times(2, 200), 429]);
    expect(await statuses(gateway, "carol", 6)).toEqual(times(6, 200));
    const [team, org] = [await used(gateway, "team/red"), await used(gateway, "org/acme")];
    expect([team.rpm, org.rpm]).toEqual([3, 5]);
  });

  test("of 0 refuse everything, and no time helps", async () => {
    const gateway = await acme({ alice: { rpm: 0 }, bob: { tpm: 0 } });
    const answer = await gateway.ask("alice");
    expect([answer.status, answer.headers.get("x-quota-reason")]).toEqual([429, "rate_limit_rpm"]);
    expect([answer.headers.get("retry-after"), answer.headers.get("x-should-retry")]).toEqual([
      null,
      "false",
    ]);
    expect(await statuses(gateway, "bob", 1)).toEqual([429]);
  });

  test("are for what costs: lists of models and counts of tokens are free", async () => {
    const gateway = await acme({ alice: { rpm: 1 } });
    const path = "/v1/messages/count_tokens";
    for (let i = 0; i < 3; i += 1) expect((await gateway.ask("alice", { path })).status).toBe(200);
    const models = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: "Bearer sk-demo-alice" },
    });
    expect(models.status).toBe(200);
    expect((await used(gateway, "key/alice")).rpm).toBe(0);
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
  });

  test("hold on a connection that no pool shares", async () => {
    const gateway = await acme({ alice: { rpm: 1 } });
    await gateway.admin("DELETE", `/api/quota/pools/${(await gateway.poolOf("kimi-demo")).id}`);
    expect(await statuses(gateway, "alice", 3)).toEqual([200, 429, 429]);
    expect(await statuses(gateway, "bob", 3)).toEqual(times(3, 200));
  });

  test("open again when the minute turns", async () => {
    let now = Date.UTC(2026, 0, 15, 12, 5, 59, 999);
    const gateway = await acme({ alice: { rpm: 1 } }, { now: () => now });
    expect(await statuses(gateway, "alice", 2)).toEqual([200, 429]);
    now += 1;
    expect(await statuses(gateway, "alice", 2)).toEqual([200, 429]);
    expect((await used(gateway, "key/alice")).rpm).toBe(1);
  });

  test("take effect at once when they are changed in the middle of a minute", async () => {
    const gateway = await acme({ org: { rpm: 3 } });
    expect(await statuses(gateway, "alice", 4)).toEqual([...times(3, 200), 429]);
    await write(gateway, "PATCH", "/api/orgs/acme", { rpm: 5 });
    expect(await statuses(gateway, "bob", 3)).toEqual([200, 200, 429]);
    await write(gateway, "PATCH", "/api/orgs/acme", { rpm: 8 });
    await write(gateway, "PATCH", "/api/keys/bob", { rpm: 5 });
    // Bob has used 2 of his 5, so 3 are kept for him: nothing is left to alice.
    expect(await statuses(gateway, "alice", 1)).toEqual([429]);
    expect(await statuses(gateway, "bob", 4)).toEqual([200, 200, 200, 429]);
    await write(gateway, "PATCH", "/api/orgs/acme", { rpm: null });
    await write(gateway, "PATCH", "/api/keys/bob", { orgId: null, rpm: null });
    expect(await statuses(gateway, "alice", 5)).toEqual(times(5, 200));
    expect(await statuses(gateway, "bob", 5)).toEqual(times(5, 200));
  });

  test("hold for two gateways on one file, whichever of them learns of a change", async () => {
    const dataDir = temporaryDirectory();
    const one = await acme({ org: { rpm: 10 } }, { dataDir });
    const two = await startTestGateway({ dataDir });
    const both = (await Promise.all([statuses(one, "alice", 12), statuses(two, "bob", 12)])).flat();
    expect(both.filter((status) => status === 200)).toHaveLength(10);
    await write(one, "PATCH", "/api/orgs/acme", { rpm: 15 });
    // One admits under the newer plan: from then on two must know of it, watch or no watch.
    expect(await statuses(one, "alice", 1)).toEqual([200]);
    expect(await statuses(two, "bob", 8)).toEqual([...times(4, 200), ...times(4, 429)]);
    expect((await used(two, "org/acme")).rpm).toBe(15);
  });
});

describe("tokens per minute", () => {
  test("are charged as estimated, then as the answer says", async () => {
    const gateway = await acme({ org: { tpm: 100_000 } });
    gateway.provider.configure({ pause: "before-answer" });
    const asked = gateway.ask("alice");
    await gateway.provider.until((state) => state.pausedAnswers === 1);
    const estimated = (await rates(gateway, "org/acme")).tpm.used;
    expect(estimated).toBeGreaterThan(0);
    gateway.provider.configure({ pause: "none" });
    const { usage } = (await (await asked).json()) as { usage: { total_tokens: number } };
    expect(await used(gateway, "org/acme")).toEqual({ rpm: 1, tpm: usage.total_tokens });
    expect(usage.total_tokens).not.toBe(estimated);
  });

  test("refuse what does not fit any more, and for ever what never fits", async () => {
    const gateway = await acme({ alice: { tpm: 2_000 } });
    const prompt = (words: number) => ({
      model: "m",
      max_tokens: 10,
      messages: [{ role: "user", content: "word ".repeat(words) }],
    });
    const ask = async (words: number) => {
      const answer = await gateway.ask("alice", { body: prompt(words) });
      await answer.text();
      await gateway.quiet();
      return [answer.status, answer.headers.get("x-quota-reason"), answer.headers.has("retry-after")];
    };
    expect(await ask(1_000)).toEqual([200, null, false]);
    expect(await ask(1_000)).toEqual([429, "rate_limit_tpm", true]);
    expect(await ask(5_000)).toEqual([429, "quota_request_too_large", false]);
  });

  test("of a stream that is left are charged once, for what was produced", async () => {
    const gateway = await acme({ org: { tpm: 100_000 } });
    gateway.provider.configure({ pause: "mid-stream", answerTokens: 1_000, chunks: 100 });
    const leave = new AbortController();
    const answer = await gateway.ask("alice", { body: streaming, signal: leave.signal });
    await answer.body!.getReader().read();
    await gateway.provider.until((state) => state.pausedAnswers === 1);
    leave.abort();
    await gateway.provider.until((state) => state.requests.aborted === 1 && state.openRequests === 0);
    const { rpm, tpm } = await used(gateway, "org/acme");
    expect(rpm).toBe(1);
    expect(tpm).toBeGreaterThan(100);
    expect(tpm).toBeLessThan(1_000);
  });
});

describe("one request passes the rate plan, then the pool", () => {
  test("refused by the pool it has given the plan's charge back before it is told", async () => {
    const gateway = await acme({ org: { rpm: 100 } });
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 2 }]);
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
    await gateway.quiet();
    const refused = await gateway.ask("alice");
    expect(refused.headers.get("x-quota-reason")).toBe("quota_fair_share");
    expect(await rates(gateway, "org/acme")).toMatchObject({ rpm: { used: 1 } });
    expect(await statuses(gateway, "alice", 20)).toEqual(times(20, 429));
    expect((await used(gateway, "org/acme")).rpm).toBe(1);
  });

  test("refused by the plan it changes no use and no hold of the pool", async () => {
    const gateway = await acme({ org: { rpm: 3 } });
    await statuses(gateway, "alice", 3);
    await gateway.quiet();
    const before = await gateway.usage();
    expect(await statuses(gateway, "bob", 10)).toEqual(times(10, 429));
    expect(await gateway.usage()).toEqual(before);
  });

  test("left by its client before the upstream has answered it costs neither of them a thing", async () => {
    const gateway = await acme({ org: { rpm: 100 } });
    gateway.provider.configure({ pause: "before-answer" });
    const leave = new AbortController();
    const asked = [1, 2, 3].map(() => gateway.ask("alice", { signal: leave.signal }));
    await gateway.provider.until((state) => state.pausedAnswers === 3);
    expect((await rates(gateway, "org/acme")).rpm.used).toBe(3);
    leave.abort();
    expect((await Promise.allSettled(asked)).every(({ status }) => status === "rejected")).toBe(true);
    await gateway.provider.until((state) => state.openRequests === 0);
    expect(await used(gateway, "org/acme")).toEqual({ rpm: 0, tpm: 0 });
    expect(await poolBooks(gateway)).toEqual({ consumed: 0, held: 0 });
  });

  test.each(["status-400", "status-429", "status-500", "reset", "bad-json", "reset-mid-stream"] as const)(
    "met by an upstream that fails with %s it costs neither of them a thing",
    async (failure) => {
      const gateway = await acme({ org: { rpm: 100, tpm: 100_000 } });
      gateway.provider.configure({ failure });
      const answer = await gateway.ask("alice", failure === "reset-mid-stream" ? { body: streaming } : {});
      await answer.text().catch((error: unknown) => error);
      expect(await used(gateway, "org/acme")).toEqual({ rpm: 0, tpm: 0 });
      expect(await poolBooks(gateway)).toEqual({ consumed: 0, held: 0 });
    },
  );

  test("waits where the minute turns soon, and is let in first come, first served", async () => {
    let now = Date.UTC(2026, 0, 15, 12, 5, 59, 990);
    const gateway = await acme({ alice: { rpm: 1 } }, { now: () => now, settings: { waitUpToMs: 10_000 } });
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
    const metrics = async () => await (await fetch(`${gateway.url}/metrics`)).text();
    const waiting = gateway.ask("alice");
    while (!(await metrics()).includes("quota_waiting_requests 1"));
    // While it waits it has been charged nothing.
    expect((await rates(gateway, "key/alice")).rpm.used).toBe(1);
    now += 10;
    expect((await waiting).status).toBe(200);
    expect((await used(gateway, "key/alice")).rpm).toBe(1);
    // A minute is too long to wait for.
    expect(await statuses(gateway, "alice", 1)).toEqual([429]);
  });

  test("left while it waits it is never sent on", async () => {
    const now = Date.UTC(2026, 0, 15, 12, 5, 55);
    const gateway = await acme({ alice: { rpm: 1 } }, { now: () => now, settings: { waitUpToMs: 10_000 } });
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
    const metrics = async () => await (await fetch(`${gateway.url}/metrics`)).text();
    const leave = new AbortController();
    const waiting = gateway.ask("alice", { signal: leave.signal });
    while (!(await metrics()).includes("quota_waiting_requests 1"));
    leave.abort();
    await expect(waiting).rejects.toThrow();
    while (!(await metrics()).includes("quota_waiting_requests 0"));
    expect((await used(gateway, "key/alice")).rpm).toBe(1);
    expect(gateway.provider.state().requests.seen).toBe(1);
  });

  test("is 503 while its rates cannot be judged; whoever has no limit passes on", async () => {
    const dataDir = temporaryDirectory();
    const gateway = await acme({ alice: { rpm: 100 } }, { dataDir });
    const neighbour = new Database(join(dataDir, "storage.sqlite"));
    neighbour.exec("BEGIN IMMEDIATE");
    const [limited, ...free] = await Promise.all(["alice", "bob", "carol"].map((key) => gateway.ask(key)));
    expect([limited!.status, ...free.map(({ status }) => status)]).toEqual([503, 200, 200]);
    expect([limited!.headers.get("x-quota-reason"), limited!.headers.get("retry-after")]).toEqual([
      "quota_unavailable",
      "1",
    ]);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(503);
    neighbour.exec("ROLLBACK");
    neighbour.close();
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  });
});

describe("a refused client", () => {
  const hello = [{ role: "user" as const, content: "Say hi" }];

  test("tells a spent share from a minute that is full: other codes, and waits of their own", async () => {
    const now = Date.UTC(2026, 0, 15, 12, 5, 17, 500);
    const gateway = await acme({ alice: { rpm: 1 } }, { now: () => now });
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
    const rate = await gateway.ask("alice");
    const body = (await rate.json()) as { error: { code: string; message: string } };
    expect(rate.status).toBe(429);
    expect(body.error.code).toBe("rate_limit_rpm");
    // Up to the end of the minute, and no more than the jitter beyond.
    const wait = Number(rate.headers.get("retry-after"));
    expect(wait).toBeGreaterThanOrEqual(43);
    expect(wait).toBeLessThanOrEqual(45);
    expect(rate.headers.get("x-should-retry")).toBeNull();
    expect(body.error.message).not.toMatch(/alice|acme|bob/u);

    await write(gateway, "PATCH", "/api/keys/alice", { rpm: null });
    await gateway.plan([{ unit: "requests", window: "weekly", limit: 2 }]);
    expect(await statuses(gateway, "alice", 1)).toEqual([200]);
    await gateway.quiet();
    const share = await gateway.ask("alice");
    expect(await share.json()).toMatchObject({ error: { code: "quota_fair_share" } });
    expect(share.status).toBe(429);
    expect(Number(share.headers.get("retry-after"))).toBeGreaterThan(3600);
    expect(share.headers.get("x-should-retry")).toBe("false");
  });

  test("of the official clients gets their own class of error", async () => {
    const gateway = await acme({ alice: { rpm: 0 }, bob: { tpm: 0 } });
    const options = (key: string) => ({ apiKey: `sk-demo-${key}`, maxRetries: 0 });
    for (const [key, code] of [
      ["alice", "rate_limit_rpm"],
      ["bob", "rate_limit_tpm"],
    ] as const) {
      const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, ...options(key) });
      const refused = await openai.chat.completions
        .create({ model: "m", messages: hello })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
      expect(refused).toMatchObject({ status: 429, code });
      const anthropic = new Anthropic({ baseURL: gateway.url, ...options(key) });
      const told = await anthropic.messages
        .create({ model: "m", max_tokens: 9, messages: hello })
        .catch((error: unknown) => error);
      expect(told).toBeInstanceOf(Anthropic.RateLimitError);
      expect((told as InstanceType<typeof Anthropic.RateLimitError>).headers.get("x-quota-reason")).toBe(
        code,
      );
    }
  });

  test("of Codex reads a usage limit", async () => {
    const gateway = await acme({ alice: { rpm: 0 } });
    const answer = await gateway.ask("alice", {
      path: "/v1/responses",
      headers: { originator: "codex_cli_rs" },
    });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({ error: { type: "usage_limit_reached" } });
  });
});

describe("whoever watches", () => {
  test("reads a node's limits, use, what is kept for those below and what is left, up to the root", async () => {
    const gateway = await acme({ org: { rpm: 10, tpm: 100_000 }, alice: { rpm: 4 } });
    await statuses(gateway, "bob", 3);
    await gateway.quiet();
    expect(await rates(gateway, "key/alice")).toMatchObject({
      kind: "key",
      id: "alice",
      rpm: { limit: 4, used: 0, heldForChildren: 0, left: 4 },
      tpm: { limit: null, left: "unlimited" },
      above: [{ kind: "organisation", id: "acme", rpm: { limit: 10, used: 3, heldForChildren: 4, left: 3 } }],
      available: { requests: 4 },
      revision: 3,
      resetsAt: Date.UTC(2026, 0, 15, 12, 6),
      warnings: [],
    });
    expect((await rates(gateway, "key/bob")).available.requests).toBe(3);
    await write(gateway, "PATCH", "/api/keys/bob", { rpm: 9 });
    expect((await rates(gateway, "org/acme")).warnings).toMatchObject([{ kind: "organisation", id: "acme" }]);
    const tokens = (await rates(gateway, "org/acme")).tpm;
    expect(Number(tokens.used) + Number(tokens.left)).toBe(100_000);
  });

  test("is told what is not counted, what is not there, and nothing without the token", async () => {
    const gateway = await acme({ alice: { rpm: 5 } });
    await statuses(gateway, "alice", 1);
    await statuses(gateway, "bob", 2);
    await gateway.quiet();
    expect(await rates(gateway, "org/acme")).toMatchObject({ rpm: { limit: null, used: "uncounted" } });
    expect(await rates(gateway, "key/bob")).toMatchObject({ rpm: { used: "uncounted" } });
    expect(await rates(gateway, "key/alice")).toMatchObject({ rpm: { used: 1 } });
    expect(await rates(gateway, "key/carol")).toMatchObject({
      kind: "key",
      id: "carol",
      rpm: { limit: null, used: "uncounted", left: "unlimited" },
      above: [],
      available: { requests: "unlimited", tokens: "unlimited" },
    });
    for (const path of ["org/nobody", "team/red", "key/nobody", "user/alice"])
      expect((await gateway.admin("GET", `/api/rates/${path}`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/api/rates/key/alice`)).status).toBe(401);
  });

  test("is told 503 where the store says nothing", async () => {
    const dataDir = temporaryDirectory();
    const gateway = await acme({ alice: { rpm: 5 } }, { dataDir });
    const neighbour = new Database(join(dataDir, "storage.sqlite"));
    neighbour.exec("DROP TABLE quota_consumption");
    neighbour.close();
    const answer = await gateway.admin("GET", "/api/rates/key/alice");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([503, "application/problem+json"]);
    expect((await gateway.ask("alice")).status).toBe(503);
  });

  test("counts refusals by kind and dimension, and by nobody's name", async () => {
    const gateway = await acme({ org: { rpm: 2 }, alice: { rpm: 1 }, bob: { tpm: 1 } });
    await statuses(gateway, "alice", 3);
    await statuses(gateway, "bob", 1);
    await write(gateway, "PATCH", "/api/keys/bob", { tpm: null });
    await statuses(gateway, "bob", 3);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(
      metrics
        .split("\n")
        .filter((line) => line.startsWith("quota_rate_refusals_total{"))
        .sort(),
    ).toEqual([
      'quota_rate_refusals_total{kind="key",dimension="rpm"} 2',
      'quota_rate_refusals_total{kind="key",dimension="tpm"} 1',
      'quota_rate_refusals_total{kind="organisation",dimension="rpm"} 2',
    ]);
    expect(metrics).toContain('quota_decisions_total{outcome="refused",reason="rate-limit-rpm"} 4');
    expect(metrics).not.toMatch(/alice|acme/u);
  });
});
