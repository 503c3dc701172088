import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pino from "pino";
import { Agent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLoginWatch } from "../server/signals/createLoginWatch.js";
import { createUsageEndpoints } from "../server/signals/createUsageEndpoints.js";
import { feedSignals } from "../server/signals/feedSignals.js";
import { usageEndpointOf } from "../server/signals/usageEndpointOf.js";
import { createUpstreamSecrets, type UpstreamAuth } from "../server/upstreamAuth.js";
import type { Connection } from "../server/connections.js";
import { startSimulator } from "./startSimulator.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const NOW = Date.UTC(2026, 8, 17, 8);
const KEY: UpstreamAuth = { kind: "value", value: "sk-the-owners" };
const BEARER: UpstreamAuth = { ...KEY, header: "authorization" };

describe("the usage endpoint", () => {
  test.each<[string, string, string | undefined, UpstreamAuth?]>([
    ["codex", "https://chatgpt.com/backend-api/codex", "https://chatgpt.com/backend-api/wham/usage"],
    ["codex", "https://chatgpt.com/backend-api/codex/", "https://chatgpt.com/backend-api/wham/usage"],
    ["codex", "https://proxy.example/v1", "https://proxy.example/api/codex/usage"],
    ["codex", "https://api.openai.com/v1", undefined],
    ["anthropic", "https://api.anthropic.com", "https://api.anthropic.com/api/oauth/usage", BEARER],
    ["anthropic", "https://api.anthropic.com/v1", "https://api.anthropic.com/api/oauth/usage", BEARER],
    ["anthropic", "https://api.anthropic.com", undefined, KEY],
    ["anthropic", "https://api.anthropic.com", undefined, { kind: "none" }],
    ["kimi", "https://api.kimi.com/coding/v1", "https://api.kimi.com/coding/v1/usages"],
    ["kimi", "https://api.kimi.com/coding/", "https://api.kimi.com/coding/v1/usages"],
    ["kimi", "https://api.moonshot.ai/v1", undefined],
    ["glm", "https://api.z.ai/api/coding/paas/v4", "https://api.z.ai/api/monitor/usage/quota/limit"],
    [
      "glm",
      "https://open.bigmodel.cn/api/anthropic",
      "https://open.bigmodel.cn/api/monitor/usage/quota/limit",
    ],
    [
      "minimax",
      "https://api.minimax.io/anthropic",
      "https://api.minimax.io/v1/api/openplatform/coding_plan/remains",
    ],
    [
      "minimax",
      "https://api.minimaxi.com/v1",
      "https://api.minimaxi.com/v1/api/openplatform/coding_plan/remains",
    ],
    [
      "bailian",
      "https://coding-intl.dashscope.aliyuncs.com/v1",
      "https://modelstudio.console.alibabacloud.com/data/api.json",
    ],
    [
      "alibaba",
      "https://coding.dashscope.aliyuncs.com/apps/anthropic",
      "https://bailian.console.aliyun.com/data/api.json",
    ],
    ["bailian", "https://dashscope.aliyuncs.com/compatible-mode/v1", undefined],
    ["openrouter", "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/key"],
    ["openai", "https://api.openai.com/v1", undefined],
    ["__proto__", "https://example.com", undefined],
  ])("of %s at %s is %s", (provider, baseUrl, url, auth = KEY) => {
    expect(usageEndpointOf({ provider, baseUrl, auth })?.url.replace(/\?.*$/u, "")).toBe(url);
  });
});

/** Sources over one connection "seat". */
function sources(connection: Partial<Connection>, { auth = KEY, simulatorUrl }: Setup = {}) {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const logged: string[] = [];
  const seat = { id: "seat", provider: "codex", baseUrl: "simulator", ...connection } as Connection;
  const source = createUsageEndpoints({
    connections: { get: (id) => (id === "seat" ? seat : undefined), authOf: () => auth },
    secrets: createUpstreamSecrets(),
    simulatorUrl,
    dispatcher,
    now: () => NOW,
    log: pino({ level: "debug" }, { write: (line) => void logged.push(line) }),
  });
  return { logged, ask: (signal = new AbortController().signal, id = "seat") => source.fetch(id, signal) };
}

interface Setup {
  readonly auth?: UpstreamAuth;
  readonly simulatorUrl?: string;
}

/** A provider of the test's own making. */
async function provider(answer: (request: IncomingMessage) => Answer) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const { status = 200, headers = {}, body = "{}" } = answer(request);
    response.writeHead(status, headers).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const wham = (used: number): string =>
  JSON.stringify({
    rate_limit: { primary_window: { used_percent: used, limit_window_seconds: 18_000 } },
  });

describe("a connection's usage endpoint", () => {
  test.each([
    ["codex", "codex", KEY],
    ["anthropic", "anthropic-unified", BEARER],
    ["kimi", "kimi", KEY],
    ["glm", "glm", KEY],
    ["minimax", "minimax", KEY],
    ["bailian", "bailian", KEY],
    ["openrouter", "openrouter", KEY],
  ] as const)("of %s says what stands in the provider's books", async (name, family, auth) => {
    const { baseUrl, post } = await startSimulator({ clock: () => NOW });
    const answer = await post(
      `/as/${family}/v1/chat/completions`,
      { model: "m", messages: [{ role: "user", content: "Say hi" }] },
      { headers: { authorization: "Bearer sk-the-owners", "x-simulate-answer-tokens": "6000" } },
    );
    await answer.text();
    const { ask } = sources(
      { provider: name, baseUrl: `simulator/${family}` },
      { auth, simulatorUrl: baseUrl },
    );
    const { readings, notes } = (await ask())!;
    expect(readings.length).toBeGreaterThan(0);
    for (const reading of readings) expect(reading).toMatchObject({ provider: name, receivedAt: NOW });
    expect(notes).toEqual([]);
  });

  test("is asked with the connection's own proof, and its headers", async () => {
    const { seen, url } = await provider(() => ({ body: wham(30) }));
    const auth: UpstreamAuth = { ...KEY, headers: { "ChatGPT-Account-Id": "account" } };
    const { ask } = sources({ baseUrl: `${url}/backend-api/codex` }, { auth });
    expect((await ask())!.readings).toMatchObject([{ unit: "percent", window: "5h", utilization: 0.3 }]);
    expect(seen[0]).toMatchObject({
      method: "GET",
      url: "/backend-api/wham/usage",
      headers: { authorization: "Bearer sk-the-owners", "chatgpt-account-id": "account" },
    });
  });

  test("of GLM wants the key without a word before it", async () => {
    const { seen, url } = await provider(() => ({}));
    await sources({ provider: "glm", baseUrl: `${url}/api/anthropic` }).ask();
    expect(seen[0]!.headers.authorization).toBe("sk-the-owners");
  });

  test("of Claude is left alone for five minutes after an answer", async () => {
    const { url } = await provider(() => ({ body: '{"five_hour":{"utilization":12,"resets_at":null}}' }));
    const { ask } = sources({ provider: "anthropic", baseUrl: url }, { auth: BEARER });
    expect(await ask()).toMatchObject({ retryAfterMs: 300_000 });
  });

  test("that redirects gets no credential anywhere else", async () => {
    const elsewhere = await provider(() => ({ body: wham(30) }));
    const { url } = await provider(() => ({ status: 302, headers: { location: elsewhere.url } }));
    const { ask } = sources({ baseUrl: url });
    expect(await ask()).toEqual({ readings: [], notes: ["The usage endpoint answered 302."] });
    expect(elsewhere.seen).toEqual([]);
  });

  test.each([
    [503, {}, { readings: [], notes: ["The usage endpoint answered 503."] }],
    [
      429,
      { "retry-after": "120" },
      { readings: [], notes: ["The usage endpoint answered 429."], retryAfterMs: 120_000 },
    ],
    [404, {}, undefined],
    [405, {}, undefined],
  ])("that answers %i says nothing of windows", async (status, headers, signals) => {
    const { url } = await provider(() => ({ status, headers, body: wham(100) }));
    expect(await sources({ baseUrl: url }).ask()).toEqual(signals);
  });

  test("that answers more than 256 KiB, or no JSON, has said nothing", async () => {
    const long = await provider(() => ({ body: `${" ".repeat(262_144)}${wham(30)}` }));
    expect((await sources({ baseUrl: long.url }).ask())!.readings).toEqual([]);
    const broken = await provider(() => ({ body: "<html>" }));
    expect((await sources({ baseUrl: broken.url }).ask())!.readings).toEqual([]);
  });

  test("that refuses a secret lets it be read anew", async () => {
    const file = join(temporaryDirectory(), "secret");
    writeFileSync(file, "sk-old");
    const { seen, url } = await provider(({ headers }) =>
      headers.authorization === "Bearer sk-new" ? { body: wham(1) } : { status: 401 },
    );
    const script = `console.log(require("fs").readFileSync(process.argv[1], "utf8"))`;
    const auth: UpstreamAuth = {
      kind: "command",
      ttlS: 86_400,
      command: [process.execPath, "-e", script, file],
    };
    const { ask } = sources({ baseUrl: url }, { auth });
    expect((await ask())!.readings).toEqual([]);
    writeFileSync(file, "sk-new");
    expect((await ask())!.readings).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  test("that nobody waits for any more is not waited for", async () => {
    const { url } = await provider(() => ({ body: wham(1) }));
    const gone = AbortSignal.abort(new Error("Nobody waits."));
    await expect(sources({ baseUrl: url }).ask(gone)).rejects.toThrow();
  });

  test("is no endpoint where there is no connection, no simulator or no such provider", async () => {
    expect(await sources({}).ask(undefined, "another")).toBeUndefined();
    expect(await sources({ baseUrl: "simulator/codex" }).ask()).toBeUndefined();
    expect(
      await sources({ baseUrl: "simulator" }, { simulatorUrl: "http://127.0.0.1:1" }).ask(),
    ).toBeUndefined();
    expect(await sources({ provider: "openai", baseUrl: "https://api.openai.com/v1" }).ask()).toBeUndefined();
  });

  test("leaves no secret and no address in the log, and none in its errors", async () => {
    const { url } = await provider(() => ({ status: 404 }));
    const { ask, logged } = sources({ baseUrl: `${url}/a-secret-path` });
    await ask();
    const told = await sources({ baseUrl: "http://127.0.0.1:1/a-secret-path" })
      .ask()
      .then(
        () => "nothing failed",
        (error: unknown) => `${String(error)} ${JSON.stringify(error)}`,
      );
    for (const secret of ["sk-the-owners", "a-secret-path", "http:"])
      expect(logged.join("") + told).not.toContain(secret);
  });
});

test("a login is needed from a 401 or 403 on, until an answer is neither, or the connection is another", () => {
  const logins = createLoginWatch();
  logins.answered("seat", 200);
  expect(logins.needed()).toEqual([]);
  logins.answered("seat", 401);
  logins.answered("other", 403);
  expect(logins.needed()).toEqual([
    { connectionId: "seat", reason: 'The connection "seat" needs a login: its provider answered 401.' },
    { connectionId: "other", reason: 'The connection "other" needs a login: its provider answered 403.' },
  ]);
  logins.answered("seat", 429);
  logins.forget("other");
  expect(logins.needed()).toEqual([]);
});

describe("an upstream's answer", () => {
  const seat = { id: "seat", provider: "codex" } as Connection;
  const told = { "x-codex-primary-used-percent": "42", "x-codex-primary-window-minutes": "300" };

  /** A feed into an engine that takes what the test says. */
  function feed(observe: (id: string, readings: readonly unknown[]) => Promise<void>) {
    const logged: string[] = [];
    const answered = feedSignals({
      engine: { observe },
      logins: createLoginWatch(),
      now: () => NOW,
      log: pino({ level: "debug", errorKey: "error" }, { write: (line) => void logged.push(line) }),
    });
    return { answered, logged };
  }

  test("is read for what it says of the account, errors and their bodies too", () => {
    const seen: unknown[] = [];
    const { answered } = feed(async (id, readings) => void seen.push([id, readings]));
    answered({ status: 200, headers: told, body: undefined }, seat);
    const body = { error: { type: "usage_limit_reached", resets_in_seconds: 60 } };
    answered({ status: 429, headers: { ...told, "x-codex-primary-used-percent": "100" }, body }, seat);
    expect(seen).toMatchObject([
      ["seat", [{ unit: "percent", window: "5h", utilization: 0.42, receivedAt: NOW }]],
      ["seat", [{ unit: "percent", window: "5h", utilization: 1 }]],
    ]);
  });

  test("without a word of the account is nobody's business", () => {
    const { answered, logged } = feed(() => Promise.reject(new Error("Nobody asks.")));
    answered({ status: 200, headers: { "content-type": "application/json" }, body: undefined }, seat);
    expect(logged).toEqual([]);
  });

  test.each<[string, () => Promise<void>]>([
    ["rejects", () => Promise.reject(new Error("no room"))],
    [
      "throws",
      () => {
        throw new Error("no room");
      },
    ],
  ])("goes on its way when the engine %s, and the log says so", async (_how, observe) => {
    const { answered, logged } = feed(observe);
    answered({ status: 200, headers: told, body: undefined }, seat);
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("no room");
  });
});
