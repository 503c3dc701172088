import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

function lastSeen(gateway: TestGateway) {
  const [request] = gateway.provider.state().lastRequests.slice(-1);
  return request!;
}

describe("what reaches the upstream", () => {
  test("is the client's request, with the owner's credential and none of the client's", async () => {
    const gateway = await startTestGateway();
    const answer = await gateway.ask("alice", {
      path: "/v1/messages",
      headers: {
        "x-api-key": "sk-clients-other-key",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "one,two",
        "x-app": "cli",
        cookie: "session=secret",
        "proxy-authorization": "Basic c2VjcmV0",
        te: "trailers",
        "x-quota-connection": "kimi-demo",
        "openai-organization": "org-clients",
      },
    });
    expect(answer.status).toBe(200);
    const { headers, body } = lastSeen(gateway);
    expect(headers).toMatchObject({
      authorization: "Bearer sk-simulated-account",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "one,two",
      "x-app": "cli",
      "accept-encoding": "identity",
    });
    for (const name of [
      "x-api-key",
      "cookie",
      "proxy-authorization",
      "te",
      "x-quota-connection",
      "openai-organization",
    ])
      expect(headers).not.toHaveProperty(name);
    expect(JSON.stringify(headers)).not.toMatch(/sk-demo|sk-clients|secret/u);
    expect(JSON.parse(body)).toMatchObject({ max_tokens: 4096 });
  });

  test("is the client's very bytes, query included; a packed body is unpacked", async () => {
    const gateway = await startTestGateway();
    const odd = '{ "model":"m","seed":12345678901234567890,  "input":"é","input":"Say hi" }';
    await gateway.ask("alice", { path: "/v1/responses?beta=true&x=%2F", body: odd });
    expect(lastSeen(gateway)).toMatchObject({ body: odd, path: "/v1/responses" });
    expect(lastSeen(gateway).query.replace(/^\?/u, "")).toBe("beta=true&x=%2F");

    const packed = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: "Bearer sk-demo-alice", "content-encoding": "gzip" },
      body: gzipSync(odd),
    });
    expect(packed.status).toBe(200);
    expect(lastSeen(gateway).body).toBe(odd);
    expect(lastSeen(gateway).headers).not.toHaveProperty("content-encoding");
  });
});

describe("what reaches the client", () => {
  test("says this key's share, and nothing of the owner's account", async () => {
    const gateway = await startTestGateway();
    for (const [rateLimitHeaders, own] of [
      ["openai", ["limit", "remaining", "reset"].map((which) => `x-ratelimit-${which}-requests`)],
      ["anthropic-api", ["limit", "remaining", "reset"].map((end) => `anthropic-ratelimit-requests-${end}`)],
      // A plan by the hour has nothing to say of 5 hours and a week.
      ["anthropic-unified", []],
      ["codex", []],
    ] as const) {
      gateway.provider.configure({
        rateLimitHeaders,
        headerCase: "pascal",
        extraHeaders: { "set-cookie": "owner=1", "openai-organization": "org-owner", "x-kept": "yes" },
      });
      const answer = await gateway.ask("alice");
      const rates = [...answer.headers].filter(([name]) =>
        /^(x-codex|anthropic-ratelimit|x-ratelimit)-/u.test(name),
      );
      expect(rates.map(([name]) => name)).toEqual(own);
      if (own[0] !== undefined) expect(answer.headers.get(own[0])).toBe("750");
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(answer.headers.get("openai-organization")).toBeNull();
      expect(answer.headers.get("x-kept")).toBe("yes");
      // alice has 750 of kimi's 1500 requests an hour.
      expect(answer.headers.get("ratelimit-policy")).toMatch(/q=750\b.*w=3600/u);
      expect(answer.headers.get("ratelimit")).toMatch(/r=\d+/u);
    }
  });

  test("is 401 in its dialect without a key, and the body is not even read", async () => {
    const gateway = await startTestGateway();
    const asked = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(gateway.url + path, { method: "POST", headers, body: "not json" });
      return [answer.status, await answer.json()] as const;
    };
    expect(await asked("/v1/chat/completions", {})).toMatchObject([
      401,
      { error: { code: "invalid_api_key" } },
    ]);
    expect(await asked("/v1/messages", { "x-api-key": "sk-nobody" })).toMatchObject([
      401,
      { type: "error", error: { type: "authentication_error" } },
    ]);
    expect(await asked("/v1/messages/count_tokens", {})).toMatchObject([401, { type: "error" }]);
  });

  test("is 400 in its dialect for a body that is no JSON object, and nothing is counted", async () => {
    const gateway = await startTestGateway();
    for (const body of ["", "{", "[]", "null", '"text"', '{"model":']) {
      expect((await gateway.ask("alice", { body })).status).toBe(400);
      const anthropic = await gateway.ask("alice", { path: "/v1/messages", body });
      expect(await anthropic.json()).toMatchObject({
        type: "error",
        error: { type: "invalid_request_error" },
      });
    }
    await gateway.quiet();
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
    expect(gateway.provider.state().requests.seen).toBe(0);
  });

  test("is 404 for a path in another spelling, which the upstream would not know either", async () => {
    const gateway = await startTestGateway();
    for (const path of ["/v1/Messages", "/V1/messages", "/v1/messages/", "/v1/Chat/Completions"]) {
      const answer = await gateway.ask("alice", { path, body: { model: "m" } });
      expect(answer.status).toBe(404);
    }
    expect(gateway.provider.state().requests.seen).toBe(0);
  });

  test("is 413 in its dialect for a body past the limit, packed or not", async () => {
    const gateway = await startTestGateway({ settings: { bodyLimitBytes: 1000 } });
    const large = JSON.stringify({ model: "m", input: "x".repeat(2000) });
    const plain = await gateway.ask("alice", { path: "/v1/responses", body: large });
    expect([plain.status, await plain.json()]).toMatchObject([413, { error: { code: "request_too_large" } }]);
    const packed = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "sk-demo-alice", "content-encoding": "gzip" },
      body: gzipSync(large),
    });
    expect([packed.status, await packed.json()]).toMatchObject([
      413,
      { error: { type: "request_too_large" } },
    ]);
    expect(gateway.provider.state().requests.seen).toBe(0);
  });

  test("is 415 for an encoding the gateway cannot unpack, 404 for a route it does not have, 204 for a preflight", async () => {
    const gateway = await startTestGateway();
    expect((await gateway.ask("alice", { headers: { "content-encoding": "zstd" } })).status).toBe(415);
    const nowhere = await gateway.ask("alice", { path: "/v1/images", body: {} });
    expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { error: { code: "unknown_route" } }]);
    for (let i = 0; i < 100; i += 1) {
      const preflight = await fetch(`${gateway.url}/v1/messages`, {
        method: "OPTIONS",
        headers: { origin: "https://example.com", "access-control-request-method": "POST" },
      });
      expect(preflight.status).toBe(204);
    }
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
  });

  test("is a list of models, to a HEAD as to a GET, for whoever has a key", async () => {
    const gateway = await startTestGateway();
    const asked = (method: string, headers: Record<string, string>) =>
      fetch(`${gateway.url}/v1/models`, { method, headers });
    expect((await asked("GET", {})).status).toBe(401);
    expect(await (await asked("GET", { "x-api-key": "sk-demo-bob" })).json()).toMatchObject({
      object: "list",
    });
    const anthropic = await asked("GET", { "x-api-key": "sk-demo-bob", "anthropic-version": "2023-06-01" });
    expect(await anthropic.json()).toMatchObject({ has_more: false });
    const head = await asked("HEAD", { "x-api-key": "sk-demo-bob" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
  });

  test("is its own shares, and nothing of others", async () => {
    const gateway = await startTestGateway();
    for (const key of ["alice", "alice", "bob"]) await (await gateway.ask(key)).text();
    await gateway.quiet();
    const own = async (key: string) =>
      (await fetch(`${gateway.url}/v1/usage`, { headers: { "x-api-key": `sk-demo-${key}` } })).json();
    const untouched = { unit: "percent", share: 50, used: 0, held: 0, remaining: 50 };
    expect(await own("alice")).toMatchObject([
      {
        connectionId: "kimi-demo",
        pool: "Demo team",
        dimensions: [{ unit: "requests", window: "hourly", share: 750, used: 2, held: 0, remaining: 748 }],
      },
      { connectionId: "codex-demo", pool: "Codex seat", dimensions: [untouched, untouched] },
    ]);
    expect(await own("carol")).toMatchObject([{ dimensions: [{ share: 300, used: 0 }] }, {}]);
    expect(JSON.stringify(await own("alice"))).not.toMatch(/bob|carol|total/u);
    expect((await fetch(`${gateway.url}/v1/usage`)).status).toBe(401);
  });
});

describe("a request goes to a connection", () => {
  test("that its model and key decide; several as good are named", async () => {
    const gateway = await startTestGateway();
    const other = await startTestGateway();
    const made = await gateway.admin("POST", "/api/connections", {
      id: "other",
      provider: "openai",
      baseUrl: `${other.url}/v1`,
      models: ["special"],
      auth: { kind: "value", value: "sk-demo-bob" },
    });
    expect(made.status).toBe(201);
    const special = { model: "special", messages: [{ role: "user", content: "Say hi" }] };
    // alice is allocated on kimi-demo alone.
    expect((await gateway.ask("alice", { body: special })).status).toBe(200);
    expect(other.provider.state().requests.seen).toBe(0);
    const named = await gateway.ask("alice", { body: special, headers: { "x-quota-connection": "other" } });
    expect(named.status).toBe(200);
    expect(other.provider.state().requests.seen).toBe(1);

    const dora = (await (await gateway.admin("POST", "/api/keys", { id: "dora" })).json()) as {
      secret: string;
    };
    expect((await gateway.ask(dora.secret, { body: special })).status).toBe(200);
    expect(other.provider.state().requests.seen).toBe(2);
    await gateway.admin("PATCH", "/api/connections/other", { models: null });
    const ambiguous = await gateway.ask(dora.secret, { body: special });
    expect([ambiguous.status, await ambiguous.json()]).toMatchObject([
      400,
      { error: { code: "ambiguous_connection", message: expect.stringMatching(/kimi-demo, other/u) } },
    ]);
    expect((await gateway.ask("alice", { headers: { "x-quota-connection": "nowhere" } })).status).toBe(404);
  });
});
