import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProviderSimulator } from "../server/simulator/createProviderSimulator.js";
import type { SimulatorOptions } from "../server/simulator/simulatorOptions.js";
import { questions, startSimulator, type PostInit } from "./startSimulator.js";

const chat = questions["/v1/chat/completions"];

function credential(name: string): PostInit {
  return { headers: { authorization: `Bearer ${name}` } };
}

/** What the provider's books say of an account under no family's path. */
function booked(simulator: ProviderSimulator, name: string, window: string) {
  const windows = simulator.account({ family: "by-dialect", credential: name }).windows();
  const { used, limit } = windows.find((each) => each.name === window)!;
  return { used, limit };
}

describe("the provider's own quota", () => {
  test("lets exactly the limit through, whatever number comes at once, per credential", async () => {
    const { simulator, post } = await startSimulator();
    await fc.assert(
      fc.asyncProperty(
        fc.uuid(),
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 30 }),
        async (key, limit, asked) => {
          simulator.configure({ quota: { unit: "requests", windowMs: 3_600_000, limit } });
          const answers = await Promise.all(
            Array.from({ length: asked }, () => post("/v1/chat/completions", chat, credential(key))),
          );
          await Promise.all(answers.map((answer) => answer.arrayBuffer()));
          const passed = answers.filter(({ status }) => status === 200).length;
          expect(passed).toBe(Math.min(limit, asked));
          expect(answers.filter(({ status }) => status === 429)).toHaveLength(asked - passed);
          expect(booked(simulator, key, "requests")).toEqual({ used: passed, limit });
        },
      ),
      { numRuns: 12 },
    );
  }, 60_000);

  test("opens again when the window is over", async () => {
    let now = Date.UTC(2026, 8, 17, 8);
    const quota = { unit: "requests", windowMs: 60_000, limit: 1 } as const;
    const { post } = await startSimulator({ quota, clock: () => now });
    const status = async () => (await post("/v1/chat/completions", chat)).status;
    expect([await status(), await status()]).toEqual([200, 429]);
    now += 59_999;
    expect(await status()).toBe(429);
    now += 1;
    expect(await status()).toBe(200);
  });

  test("counts tokens of input at once and of output as they are written", async () => {
    const { simulator, post } = await startSimulator({
      quota: { unit: "tokens", windowMs: 60_000, limit: 100 },
    });
    const ask = async (tokens: number) => {
      const response = await post("/v1/chat/completions", {
        ...chat,
        stream: true,
        model: `m?answer-tokens=${String(tokens)}`,
      });
      await response.text();
      return response.status;
    };
    expect(await ask(50)).toBe(200);
    expect(booked(simulator, "none", "tokens")).toEqual({ used: 52, limit: 100 });
    expect(await ask(80)).toBe(200);
    expect(simulator.state().tokens).toEqual({ input: 4, output: 130 });
    expect(await ask(1)).toBe(429);
    expect(simulator.state().requests).toMatchObject({ accepted: 2, refused: 1 });
  });

  test("is said in each dialect's own words", async () => {
    const now = Date.UTC(2026, 8, 17, 8);
    const quota = { unit: "requests", windowMs: 18_000_000, limit: 0 } as const;
    const { post } = await startSimulator({ quota, clock: () => now });
    const openai = await post("/v1/chat/completions", chat);
    expect([openai.status, openai.headers.get("retry-after")]).toEqual([429, "18000"]);
    expect(await openai.json()).toMatchObject({
      error: { type: "requests", code: "rate_limit_exceeded", param: null },
    });

    const anthropic = await post("/v1/messages", questions["/v1/messages"]);
    expect([anthropic.status, anthropic.headers.get("x-should-retry")]).toEqual([429, "true"]);
    expect(await anthropic.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });

    const codex = await post("/v1/responses", questions["/v1/responses"], {
      headers: { originator: "codex_cli_rs" },
    });
    expect([codex.status, codex.headers.get("retry-after")]).toEqual([429, null]);
    expect(codex.headers.get("x-codex-primary-used-percent")).toBe("100");
    expect(codex.headers.get("x-codex-primary-reset-at")).toBe(String(now / 1000 + 18_000));
    expect(await codex.json()).toMatchObject({
      error: {
        type: "usage_limit_reached",
        plan_type: "plus",
        resets_at: now / 1000 + 18_000,
        resets_in_seconds: 18_000,
      },
    });
  });
});

describe("rate-limit headers", () => {
  const now = Date.UTC(2026, 8, 17, 8);
  const quota = { unit: "tokens", windowMs: 18_000_000, limit: 4 } as const;

  test.each<[SimulatorOptions["rateLimitHeaders"], Record<string, string>]>([
    [
      "openai",
      {
        "x-ratelimit-limit-tokens": "4",
        "x-ratelimit-remaining-tokens": "2",
        "x-ratelimit-reset-tokens": "5h0m0s",
      },
    ],
    [
      "anthropic-api",
      {
        "anthropic-ratelimit-tokens-remaining": "2",
        "anthropic-ratelimit-tokens-reset": "2026-09-17T13:00:00Z",
      },
    ],
    [
      "anthropic-unified",
      {
        "anthropic-ratelimit-unified-status": "allowed",
        "anthropic-ratelimit-unified-5h-utilization": "0.50",
        "anthropic-ratelimit-unified-5h-reset": String(now / 1000 + 18_000),
      },
    ],
    [
      "codex",
      {
        "x-codex-primary-used-percent": "50",
        "x-codex-primary-window-minutes": "300",
      },
    ],
  ])("of the family %s stand on every answer", async (rateLimitHeaders, expected) => {
    const { post } = await startSimulator({ rateLimitHeaders, quota, clock: () => now });
    const { headers } = await post("/v1/chat/completions", { ...chat, stream: true });
    for (const [name, value] of Object.entries(expected))
      expect([name, headers.get(name)]).toEqual([name, value]);
  });

  test("can be written in Pascal case, left out, or laid over", async () => {
    const { simulator, baseUrl, post } = await startSimulator({
      rateLimitHeaders: "codex",
      headerCase: "pascal",
    });
    const { request } = await import("node:http");
    const rawNames = await new Promise<readonly string[]>((resolve, reject) => {
      request(`${baseUrl}/v1/models`, (response) => {
        response.resume();
        resolve(response.rawHeaders);
      })
        .on("error", reject)
        .end();
    });
    expect(rawNames).toContain("X-Codex-Primary-Used-Percent");
    simulator.configure({ extraHeaders: { "x-codex-primary-used-percent": "77" }, headerCase: "lower" });
    expect((await post("/v1/chat/completions", chat)).headers.get("x-codex-primary-used-percent")).toBe("77");
    simulator.configure({ extraHeaders: {}, rateLimitHeaders: "none" });
    expect((await post("/v1/chat/completions", chat)).headers.has("x-codex-primary-used-percent")).toBe(
      false,
    );
  });
});

describe("what the provider sees", () => {
  test("the last requests with their headers and bodies, and counts per path", async () => {
    const { simulator, post } = await startSimulator({ keepRequests: 2 });
    await post("/v1/embeddings", questions["/v1/embeddings"]);
    await post("/v1/chat/completions?beta=true", chat, {
      headers: { cookie: "session=1", "x-api-key": "sk-1" },
    });
    await post("/v1/nothing", {});
    const { lastRequests, paths } = simulator.state();
    expect(lastRequests).toMatchObject([
      {
        method: "POST",
        path: "/v1/chat/completions",
        query: "?beta=true",
        headers: { cookie: "session=1", "x-api-key": "sk-1", "content-type": "application/json" },
        body: JSON.stringify(chat),
        outcome: "accepted",
      },
      { path: "/v1/nothing", outcome: "rejected" },
    ]);
    expect([...paths].map(([path, { seen, accepted }]) => [path, seen, accepted])).toEqual([
      ["/v1/embeddings", 1, 1],
      ["/v1/chat/completions", 1, 1],
      ["/v1/nothing", 1, 0],
    ]);
  });

  test("credentials it does not know, once it is told which it knows", async () => {
    const { post } = await startSimulator({ credentials: ["sk-known"] });
    expect((await post("/v1/chat/completions", chat, credential("sk-known"))).status).toBe(200);
    const refused = await post("/v1/chat/completions", chat, credential("sk-other"));
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { error: { code: "invalid_api_key" } },
    ]);
    expect((await post("/v1/messages", questions["/v1/messages"])).status).toBe(401);
  });

  test.each([
    ["no JSON", "/v1/chat/completions", "{"],
    ["no model", "/v1/chat/completions", { messages: chat.messages }],
    ["no messages", "/v1/chat/completions", { model: "m", messages: [] }],
    ["no max_tokens for Anthropic", "/v1/messages", { model: "m", messages: chat.messages }],
    ["a maximum of 0", "/v1/responses", { model: "m", input: "Hi", max_output_tokens: 0 }],
    ["no input", "/v1/embeddings", { model: "m" }],
  ])("a bad request (%s) as a 400", async (_, path, body) => {
    const { simulator, post } = await startSimulator();
    const response = await post(path, body, typeof body === "string" ? { rawBody: body } : {});
    expect([response.status, simulator.state().requests.rejected]).toEqual([400, 1]);
  });

  test("redirects, if it is told to, without answering anything else", async () => {
    const { simulator, post } = await startSimulator({ redirectTo: "http://127.0.0.1:9/elsewhere" });
    const response = await post("/v1/chat/completions", chat, credential("sk-1"));
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      "http://127.0.0.1:9/elsewhere",
    ]);
    expect(simulator.state().requests).toMatchObject({ redirected: 1, accepted: 0 });
  });
});
