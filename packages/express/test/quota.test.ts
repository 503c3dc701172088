import express from "express";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createEstimates } from "@quota/http";
import { quota, quotaOf } from "@quota/express";
import { completion, gateway, piece, TOKENS } from "./gateway.js";
import { listening } from "./listening.js";
import { books, team } from "./team.js";

describe("a request that is let in", () => {
  test("is counted once and told what is left", async () => {
    const { ask, engine } = await gateway((_request, response) => void response.json({ ok: true }));
    const answer = await ask();
    expect(await answer.json()).toEqual({ ok: true });
    expect(answer.headers.get("ratelimit-policy")).toMatch(/^"hourly-requests";q=50;/u);
    expect(answer.headers.get("ratelimit")).toMatch(/^"hourly-requests";r=49;t=\d+$/u);
    expect(await books(engine)).toEqual({ consumed: 1, held: 0 });
  });

  test("is charged what the provider says it took, not what was held", async () => {
    const { ask, engine } = await gateway((_request, response) => void response.json(completion(120)), {
      dimensions: TOKENS,
    });
    await (await ask()).text();
    expect(await books(engine)).toEqual({ consumed: 120, held: 0 });
  });

  test("is charged nothing where the provider says 0, which is a value", async () => {
    const answer = { ...completion(2), usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };
    const { ask, engine } = await gateway((_request, response) => void response.json(answer), {
      dimensions: TOKENS,
    });
    await (await ask()).text();
    expect(await books(engine)).toEqual({ consumed: 0, held: 0 });
  });

  test("of which nobody says anything is charged as estimated", async () => {
    const { ask, engine } = await gateway((_request, response) => void response.type("text").send("Hello"), {
      dimensions: TOKENS,
      options: { estimate: () => ({ tokens: 700 }) },
    });
    await (await ask()).text();
    expect(await books(engine)).toEqual({ consumed: 700, held: 0 });
  });

  test("holds its estimate while it is answered, and teaches the next estimate", async () => {
    const held: number[] = [];
    const estimates = createEstimates();
    const house = await gateway(
      async (_request, response) => {
        held.push((await house.engine.usage("team"))!.dimensions[0]!.held);
        response.json(completion(40));
      },
      { dimensions: TOKENS, options: { estimates } },
    );
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Say hello, please" }] });
    for (let turn = 0; turn < 30; turn += 1) {
      await (await house.ask("/v1/chat/completions", { body })).text();
      await books(house.engine);
    }
    expect(held[0]).toBeGreaterThan(500);
    expect(held.at(-1)).toBeLessThan(60);
  });

  test("may report what it took by itself; nonsense is refused where it is said, and nothing is kept of it (G04)", async () => {
    const { ask, engine } = await gateway(
      (_request, response) => {
        const handle = quotaOf(response)!;
        for (const amount of [NaN, Infinity, -0.847665, -58035, true, "0.1", null, 1e308])
          expect(() => handle.report({ tokens: amount as number })).toThrow(RangeError);
        handle.report({ tokens: 33 });
        response.json(completion(9_999));
      },
      { dimensions: TOKENS },
    );
    expect((await ask()).status).toBe(200);
    expect(await books(engine)).toEqual({ consumed: 33, held: 0 });
  });

  test.each([NaN, Infinity, -1, true, "0.1", null, 1e308])(
    "with an estimate of %s is an error of the app, and nothing is written (G04)",
    async (amount) => {
      const { ask, engine } = await gateway((_request, response) => void response.json({}), {
        dimensions: TOKENS,
        options: { estimate: () => ({ tokens: amount as number }) },
      });
      expect((await ask()).status).toBe(500);
      expect(await books(engine)).toEqual({ consumed: 0, held: 0 });
    },
  );

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "a|b", "{x}"])(
    "by a key called %s is an ordinary request (G03)",
    async (key) => {
      const { ask, engine } = await gateway((_request, response) => void response.json(completion(7)), {
        dimensions: TOKENS,
        allocations: [{ apiKeyId: key, weight: 100 }],
      });
      await (await ask("/", { key })).text();
      await books(engine);
      expect((await engine.usage("team"))!.dimensions[0]!.perKey).toMatchObject([
        { apiKeyId: key, consumed: 7 },
      ]);
      expect(Object.keys({})).toEqual([]);
    },
  );

  test("passes without numbers while the store is away, and says so", async () => {
    const { ask, engine, store } = await gateway((_request, response) => void response.json({ ok: true }));
    const { transact } = store;
    store.transact = () => Promise.reject(new Error("gone"));
    const answer = await ask();
    expect([answer.status, answer.headers.get("quota-status"), answer.headers.get("ratelimit")]).toEqual([
      200,
      "unjudged",
      null,
    ]);
    store.transact = transact;
    await engine.close();
    expect(await books(engine)).toEqual({ consumed: 1, held: 0 });
  });

  test("by a soft key past its share says so", async () => {
    const { ask, engine } = await gateway((_request, response) => void response.json({}), {
      allocations: [{ apiKeyId: "alice", weight: 50, policy: "soft" }],
    });
    await engine.consume({
      apiKeyId: "alice",
      connectionId: "seat",
      provider: "kimi",
      amounts: { requests: 60 },
    });
    expect((await ask()).headers.get("quota-status")).toBe("deprioritized");
  });

  test("on a connection without a pool passes, and gets no quota headers", async () => {
    const { ask } = await gateway((_request, response) => void response.json({}), {
      options: { identify: () => ({ apiKeyId: "alice", connectionId: "elsewhere", provider: "kimi" }) },
    });
    const answer = await ask();
    expect([answer.status, answer.headers.get("ratelimit"), answer.headers.get("quota-status")]).toEqual([
      200,
      null,
      null,
    ]);
  });
});

describe("what passes through the response", () => {
  test("is the same, byte for byte, with its callbacks and its back-pressure", async () => {
    const large = "ü".repeat(200_000);
    const seen: unknown[] = [];
    const { ask } = await gateway(async (_request, response) => {
      response.type("application/json");
      expect(response.write('{"a":"', "utf8", () => seen.push("called back"))).toBe(true);
      expect(response.write(large)).toBe(false);
      await once(response, "drain");
      response.write(Buffer.from("68c3bc", "hex"));
      response.write("fc", "latin1");
      response.write("fA==", "base64");
      response.end('"}', () => seen.push("ended"));
    });
    const text = Buffer.from(await (await ask()).arrayBuffer());
    const whole = [
      Buffer.from('{"a":"' + large),
      Buffer.from("68c3bc", "hex"),
      Buffer.from("fc", "latin1"),
      Buffer.from("fA==", "base64"),
      Buffer.from('"}'),
    ];
    expect(text.equals(Buffer.concat(whole))).toBe(true);
    expect(seen).toEqual(["called back", "ended"]);
  });

  test("is measured in any encoding", async () => {
    const { ask, engine } = await gateway(
      (_request, response) => {
        const text = Buffer.from(JSON.stringify(completion(55)));
        response.type("application/json").write(text.subarray(0, 20).toString("base64"), "base64");
        response.write(text.subarray(20, 60).toString("hex"), "hex");
        response.end(text.subarray(60));
      },
      { dimensions: TOKENS },
    );
    expect(await (await ask()).json()).toEqual(completion(55));
    expect(await books(engine)).toEqual({ consumed: 55, held: 0 });
  });

  test("compressed by somebody further in is not taken for text: charged as estimated", async () => {
    const { gzipSync } = await import("node:zlib");
    const { ask, engine } = await gateway(
      (_request, response) => {
        response.type("application/json").set("content-encoding", "gzip");
        response.end(gzipSync(JSON.stringify(completion(55))));
      },
      { dimensions: TOKENS, options: { estimate: () => ({ tokens: 10 }) } },
    );
    expect(await (await ask()).json()).toEqual(completion(55));
    expect(await books(engine)).toEqual({ consumed: 10, held: 0 });
  });

  test("and is written by an `end` that calls `write` is counted once", async () => {
    const { ask, engine } = await gateway(
      (_request, response) => void response.type("text/event-stream").end(piece("abcd".repeat(25))),
      {
        dimensions: TOKENS,
        options: { estimate: () => ({}) },
        before: [
          (_request, response, next) => {
            const end = response.end.bind(response);
            response.end = ((chunk: string) => {
              response.write(chunk);
              return end();
            }) as typeof response.end;
            next();
          },
        ],
      },
    );
    expect(await (await ask()).text()).toBe(piece("abcd".repeat(25)));
    const { consumed } = await books(engine);
    expect(consumed).toBeGreaterThan(10);
    expect(consumed).toBeLessThan(45);
  });

  test("is not looked at any more once the gateway hands over the upstream's bytes", async () => {
    const { ask, engine } = await gateway(
      (_request, response) => {
        const handle = quotaOf(response)!;
        handle.upstream(200);
        handle.observe(Buffer.from(JSON.stringify(completion(77))));
        response.json({
          ...completion(1),
          usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
        });
      },
      { dimensions: TOKENS },
    );
    await (await ask()).text();
    expect(await books(engine)).toEqual({ consumed: 77, held: 0 });
  });

  test("breaks nothing when a meter of the app's own throws: charged as estimated", async () => {
    const { ask, engine } = await gateway((_request, response) => void response.json(completion(9)), {
      dimensions: TOKENS,
      options: {
        estimate: () => ({ tokens: 4 }),
        measure: () => {
          throw new Error("a bug");
        },
      },
    });
    expect(await (await ask()).json()).toEqual(completion(9));
    expect(await books(engine)).toEqual({ consumed: 4, held: 0 });
  });
});

describe("a request that is refused", () => {
  const spent = (amount: number) => async (house: Awaited<ReturnType<typeof team>>) =>
    house.engine.consume({
      apiKeyId: "alice",
      connectionId: "seat",
      provider: "kimi",
      amounts: { requests: amount },
    });

  test("gets a 429 in its dialect, and leaves no trace in the books", async () => {
    let calls = 0;
    const house = await gateway((_request, response) => {
      calls += 1;
      response.json({});
    });
    await spent(60)(house);
    const openai = await house.ask("/v1/chat/completions");
    expect([openai.status, openai.headers.get("content-type"), openai.headers.get("cache-control")]).toEqual([
      429,
      "application/problem+json",
      "no-store",
    ]);
    expect(await openai.json()).toMatchObject({
      status: 429,
      error: { code: "quota_fair_share", param: null },
    });
    const anthropic = await house.ask("/v1/messages", { headers: { "anthropic-version": "2023-06-01" } });
    expect(await anthropic.json()).toMatchObject({
      type: "error",
      error: { type: "rate_limit_error" },
      request_id: anthropic.headers.get("request-id"),
    });
    const codex = await house.ask("/v1/responses", { headers: { originator: "codex_cli_rs" } });
    expect(await codex.json()).toMatchObject({
      error: { type: "usage_limit_reached", resets_at: expect.any(Number) },
    });
    expect(calls).toBe(0);
    expect(await books(house.engine)).toEqual({ consumed: 60, held: 0 });
  });

  test("says by its code which limit it was, and by Retry-After when that one opens (F04)", async () => {
    const house = await gateway((_request, response) => void response.json({}), {
      dimensions: [
        { unit: "requests", window: "weekly", limit: 100, anchor: "epoch" },
        { unit: "requests", window: "hourly", limit: 1000, anchor: "epoch" },
      ],
      allocations: [
        { apiKeyId: "alice", weight: 50 },
        { apiKeyId: "bob", weight: 50, capValue: 5, capUnit: "requests", capWindow: "hourly" },
      ],
    });
    await spent(60)(house);
    await house.engine.consume({
      apiKeyId: "bob",
      connectionId: "seat",
      provider: "kimi",
      amounts: { requests: 5 },
    });
    const weekly = await house.ask();
    const hourly = await house.ask("/", { key: "bob" });
    expect([weekly.headers.get("x-quota-reason"), hourly.headers.get("x-quota-reason")]).toEqual([
      "quota_fair_share",
      "quota_cap_absolute",
    ]);
    // Epoch weeks begin on Thursdays at 00:00: from Monday noon that is 60 hours. With at most 30 s of jitter.
    const seconds = (answer: Response) => Number(answer.headers.get("retry-after"));
    expect(seconds(weekly)).toBeGreaterThanOrEqual(60 * 3600);
    expect(seconds(weekly)).toBeLessThanOrEqual(60 * 3600 + 30);
    expect(seconds(hourly)).toBeGreaterThanOrEqual(3600);
    expect(seconds(hourly)).toBeLessThanOrEqual(3630);
    expect([weekly, hourly].map((answer) => answer.headers.get("x-should-retry"))).toEqual([
      "false",
      "false",
    ]);
    expect([await weekly.json(), await hourly.json()]).toMatchObject([
      { error: { code: "quota_fair_share" } },
      { error: { code: "quota_cap_absolute" } },
    ]);
  });

  test("and could never pass is told not to come back", async () => {
    const { ask } = await gateway((_request, response) => void response.json({}), {
      dimensions: TOKENS,
      options: { estimate: () => ({ tokens: 100_001 }) },
    });
    const answer = await ask();
    expect([
      answer.status,
      answer.headers.get("x-quota-reason"),
      answer.headers.get("retry-after"),
      answer.headers.get("x-should-retry"),
    ]).toEqual([429, "quota_request_too_large", null, "false"]);
  });

  test("for its key, missing or unknown, gets a 401 in its dialect", async () => {
    const { url } = await gateway((_request, response) => void response.json({}));
    const answer = await fetch(url, { method: "POST" });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(await answer.json()).toMatchObject({ error: { code: "invalid_api_key" } });
    const anthropic = await fetch(url, { method: "POST", headers: { "anthropic-version": "2023-06-01" } });
    expect(await anthropic.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
  });

  test("because the store is away and the policy says so gets a 503", async () => {
    const house = await gateway((_request, response) => void response.json({}), { whenStoreFails: "deny" });
    house.store.transact = () => Promise.reject(new Error("disk at /srv/data"));
    const answer = await house.ask();
    expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("x-quota-reason")]).toEqual([
      503,
      "1",
      "quota_unavailable",
    ]);
    expect(await answer.text()).not.toContain("/srv");
  });

  test("can be read by a page of another origin, where that is wanted (F01)", async () => {
    const house = await gateway((_request, response) => void response.json({}), {
      options: { exposeHeaders: true },
    });
    const exposed = async (headers: Record<string, string>) =>
      (await house.ask("/", { headers })).headers.get("access-control-expose-headers");
    expect(await exposed({ origin: "https://app.example" })).toContain("ratelimit");
    await spent(60)(house);
    expect(await exposed({ origin: "https://app.example" })).toContain("retry-after");
    expect(await exposed({})).toBeNull();
  });
});

describe("methods (F01)", () => {
  test("OPTIONS is neither counted nor refused, with or without a key, however often", async () => {
    const house = await gateway(
      (request, response) =>
        void response.json({ handled: quotaOf(response) !== undefined, method: request.method }),
    );
    const preflight = () =>
      fetch(house.url, { method: "OPTIONS", headers: { origin: "https://app.example" } });
    for (let turn = 0; turn < 100; turn += 1) expect((await preflight()).status).toBe(200);
    expect(await (await house.ask()).json()).toEqual({ handled: true, method: "POST" });
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
    await house.engine.consume({
      apiKeyId: "alice",
      connectionId: "seat",
      provider: "kimi",
      amounts: { requests: 99 },
    });
    expect((await house.ask()).status).toBe(429);
    expect((await preflight()).status).toBe(200);
  });

  test("HEAD is counted and refused like GET", async () => {
    const house = await gateway((_request, response) => void response.json(completion(9)));
    expect((await house.ask("/", { method: "HEAD" })).headers.get("ratelimit")).toContain("r=49");
    expect(await books(house.engine)).toEqual({ consumed: 1, held: 0 });
    await house.engine.consume({
      apiKeyId: "alice",
      connectionId: "seat",
      provider: "kimi",
      amounts: { requests: 60 },
    });
    expect((await house.ask("/", { method: "HEAD" })).status).toBe(429);
  });
});

describe("two mounts", () => {
  test("on one route each settle their own lease", async () => {
    const outer = await team();
    const inner = await team({ dimensions: TOKENS });
    const app = express();
    const identify = () => ({ apiKeyId: "alice", connectionId: "seat", provider: "kimi" });
    app.use(
      quota({ engine: outer.engine, identify }),
      quota({ engine: inner.engine, identify }),
      (_request, response) => void response.json(completion(31)),
    );
    const { url } = await listening(app);
    await (await fetch(url)).text();
    expect(await books(outer.engine)).toEqual({ consumed: 1, held: 0 });
    expect(await books(inner.engine)).toEqual({ consumed: 31, held: 0 });
  });
});
