import type { PoolJson } from "@quota/http";
import { describe, expect, test } from "vitest";
import { adminApp } from "./admin.js";

const weights = (pool: PoolJson) =>
  Object.fromEntries(pool.allocations.map(({ apiKeyId, weight }) => [apiKeyId, weight]));

const everything: [method: string, path: string][] = [
  ["GET", "/api/quota/pools"],
  ["POST", "/api/quota/pools"],
  ["GET", "/api/quota/pools/team"],
  ["PATCH", "/api/quota/pools/team"],
  ["DELETE", "/api/quota/pools/team"],
  ["GET", "/api/quota/pools/team/usage"],
  ["POST", "/api/quota/pools/team/allocations"],
  ["DELETE", "/api/quota/pools/team/allocations/alice"],
  ["GET", "/api/quota/plans"],
  ["GET", "/api/quota/plans/seat"],
  ["PUT", "/api/quota/plans/seat"],
  ["DELETE", "/api/quota/plans/seat"],
  ["POST", "/api/quota/plans/seat/preview"],
  ["GET", "/api/quota/pools/team/burn"],
  ["GET", "/api/quota/pools/team/explain"],
  ["POST", "/api/quota/pools/team/lending/preview"],
  ["GET", "/api/quota/preview"],
  ["GET", "/api/quota/nothing"],
];

describe("whoever may not administer", () => {
  test.each(everything)("is answered 401 at %s %s, and nothing is read or written", async (method, path) => {
    const { call, pools } = await adminApp();
    const answer = await call(method, path, { headers: { authorization: "Bearer guess" } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.json).toMatchObject({ title: "Unauthorized", status: 401 });
    expect(await pools.list()).toHaveLength(1);
  });

  test("may do elsewhere what it likes: the router looks at /api/quota alone", async () => {
    const { call } = await adminApp();
    expect((await call("GET", "/api/keys", { headers: { authorization: "" } })).status).toBe(418);
  });
});

describe("a pool", () => {
  test("is shown with its version as ETag", async () => {
    const { call } = await adminApp();
    const pool = {
      id: "team",
      connectionId: "seat",
      name: "Team",
      unallocated: "borrow",
      lending: "threshold",
      version: 1,
      createdAt: Date.UTC(2026, 0, 5, 12),
      allocations: [
        { apiKeyId: "alice", weight: 50, policy: "hard" },
        { apiKeyId: "bob", weight: 30, policy: "hard" },
        { apiKeyId: "carol", weight: 20, policy: "hard" },
      ],
    };
    const shown = await call("GET", "/api/quota/pools/team");
    expect(shown.json).toEqual(pool);
    expect(shown.headers.get("etag")).toBe('"1"');
    expect((await call("GET", "/api/quota/pools")).json).toEqual([pool]);
  });

  test("is made with 201 and a Location that leads to it, whatever its id", async () => {
    const ids = ["a|b", "{x}", "__proto__", "constructor", "池 ☃", "50%", "a/b", "fe80::1"];
    const { call } = await adminApp({
      connections: () => ids.map((id, i) => ({ id: `${id} ${i}`, provider: "kimi" })),
    });
    for (const [i, id] of ids.entries()) {
      const body = {
        id,
        connectionId: `${id} ${i}`,
        name: id,
        allocations: [{ apiKeyId: id, weight: 100, capValue: 5, capUnit: "usd", capWindow: "daily" }],
      };
      const made = await call("POST", "/api/quota/pools", { body });
      expect(made.status).toBe(201);
      const found = await call("GET", made.headers.get("location")!);
      expect(found.json).toEqual(made.json);
      expect(found.json).toMatchObject({
        ...body,
        allocations: [{ ...body.allocations[0], policy: "hard" }],
      });
      const usage = await call("GET", `${made.headers.get("location")!}/usage`);
      expect(usage.json).toMatchObject({ poolId: id });
    }
    expect(Object.keys({})).toEqual([]);
    expect((await call("GET", "/api/quota/pools")).json).toHaveLength(9);
  });

  test("is not made for a connection that is not there, nor under an id that no URL can name", async () => {
    const { call } = await adminApp();
    for (const id of [".", ".."]) {
      const made = await call("POST", "/api/quota/pools", {
        body: { id, connectionId: "nowhere", name: "n", allocations: [] },
      });
      expect(made.status).toBe(400);
      expect(made.json.errors.map(({ path }) => path)).toEqual(["id", "connectionId"]);
    }
    expect((await call("GET", "/api/quota/pools")).json).toHaveLength(1);
  });

  test("is the only one of its connection: 409, and nothing is written", async () => {
    const { call } = await adminApp();
    const second = await call("POST", "/api/quota/pools", {
      body: { connectionId: "seat", name: "Second", allocations: [] },
    });
    expect(second.status).toBe(409);
    expect(second.json).toMatchObject({ status: 409, detail: expect.stringContaining("team") });
    expect((await call("GET", "/api/quota/pools")).json).toHaveLength(1);
  });

  test("is deleted with 204, and is then 404 for everybody", async () => {
    const { call } = await adminApp();
    expect((await call("DELETE", "/api/quota/pools/team")).status).toBe(204);
    for (const [method, path] of everything.filter(([, path]) => path.includes("/pools/team"))) {
      const answer = await call(method, path, { ...(method !== "GET" && { body: {} }) });
      expect([method, path, answer.status, answer.json.title]).toEqual([method, path, 404, "Not Found"]);
    }
  });

  test("is changed member by member; null takes an optional one away", async () => {
    const { call } = await adminApp({ pool: { saturationThreshold: 0.7, whenStoreFails: "deny" } });
    const changed = await call("PATCH", "/api/quota/pools/team", {
      body: { name: "Squad", saturationThreshold: null },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).toBe('"2"');
    expect(changed.json).toMatchObject({ name: "Squad", whenStoreFails: "deny", version: 2 });
    expect(changed.json).not.toHaveProperty("saturationThreshold");
    const budgeted = await call("PATCH", "/api/quota/pools/team", {
      body: { whenStoreFails: { budget: 0.01 } },
    });
    expect(budgeted.json).toMatchObject({ whenStoreFails: { budget: 0.01 }, version: 3 });
    const bad = await call("PATCH", "/api/quota/pools/team", { body: { whenStoreFails: { budget: 0 } } });
    expect([bad.status, bad.json]).toMatchObject([400, { errors: [{ path: "whenStoreFails" }] }]);
    expect(weights(changed.json)).toEqual({ alice: 50, bob: 30, carol: 20 });
  });

  test.each(['"1"', "1", 'W/"1"'])(
    "is not changed by an edit that was based on an older version (%s): 412 with the pool as it is",
    async (tag) => {
      const { call } = await adminApp();
      const edit = (name: string) =>
        call("PATCH", "/api/quota/pools/team", { body: { name }, headers: { "if-match": tag } });
      expect((await edit("First")).json).toMatchObject({ name: "First", version: 2 });
      const second = await edit("Second");
      expect(second.status).toBe(412);
      expect(second.headers.get("etag")).toBe('"2"');
      expect(second.json).toMatchObject({
        title: "Precondition Failed",
        pool: { name: "First", version: 2 },
      });
      expect((await call("GET", "/api/quota/pools/team")).json).toMatchObject({ name: "First" });
    },
  );

  test("of all weights 0 is split equally, in enforcement and on the page (H01)", async () => {
    const { call, engine } = await adminApp({
      allocations: [
        { apiKeyId: "a", weight: 0 },
        { apiKeyId: "b", weight: 0 },
      ],
    });
    await engine.consume({
      apiKeyId: "a",
      connectionId: "seat",
      provider: "kimi",
      amounts: { requests: 30 },
    });
    const { json } = await call("GET", "/api/quota/pools/team/usage");
    expect(json.dimensions[0]!.perKey).toMatchObject([
      { apiKeyId: "a", consumed: 30, fairShare: 50, deficit: -20, borrowing: false, remaining: 20 },
      { apiKeyId: "b", consumed: 0, fairShare: 50, borrowing: false },
    ]);
    const { decision } = await engine.admit({ apiKeyId: "a", connectionId: "seat", provider: "kimi" });
    expect(decision.dimensions[0]).toMatchObject({ share: 50, borrowing: false });
  });

  test("with one weight 0 among others gives that key no share (H01)", async () => {
    const { call } = await adminApp({
      allocations: [
        { apiKeyId: "a", weight: 0 },
        { apiKeyId: "b", weight: 100 },
      ],
    });
    const { json } = await call("GET", "/api/quota/pools/team/usage");
    expect(json.dimensions[0]!.perKey).toMatchObject([
      { apiKeyId: "a", fairShare: 0, available: 100 },
      { apiKeyId: "b", fairShare: 100 },
    ]);
  });
});

describe("weights (H02)", () => {
  const cases: [sentence: string, weights: unknown[], status: number][] = [
    ["that sum to 100.4 are refused", [33.3, 33.5, 33.6], 400],
    ["that sum to 99.99 are taken", [33.33, 33.33, 33.33], 201],
    ["that sum to 100.00000000000006 are taken", [100.00000000000006 - 50, 50], 201],
    ["that sum to 120 are refused", [60, 60], 400],
    ["below 0 are refused", [-10, 100], 400],
    ["above 100 are refused", [110], 400],
    ["that are no number are refused", ["50"], 400],
    ["that are null are refused", [null], 400],
    ["that are true are refused", [true], 400],
    ["of one key at 40 are taken", [40], 201],
  ];
  test.each(cases)("%s", async (_sentence, list, status) => {
    const { call, pools } = await adminApp();
    const allocations = list.map((weight, i) => ({ apiKeyId: `key-${String(i)}`, weight }));
    const made = await call("POST", "/api/quota/pools", {
      body: { connectionId: "other", name: "New", allocations },
    });
    expect(made.status).toBe(status);
    expect(await pools.list()).toHaveLength(status === 201 ? 2 : 1);
  });

  test("of NaN or 1e999, which JSON cannot say, are refused", async () => {
    const { call } = await adminApp();
    const send = (weight: string) =>
      call("POST", "/api/quota/pools", {
        body: `{"connectionId":"other","name":"N","allocations":[{"apiKeyId":"a","weight":${weight}}]}`,
      });
    expect((await send("NaN")).status).toBe(400);
    expect((await send("1e999")).json.errors).toMatchObject([{ path: "allocations[0].weight" }]);
  });
});

describe("bad input", () => {
  test("is told all at once, shape and meaning, and nothing is written", async () => {
    const { call, pools } = await adminApp();
    const body = {
      connectionId: "",
      name: "x".repeat(300),
      owner: "me",
      saturationThreshold: 2,
      allocations: [
        { apiKeyId: "a", weight: 500, capValue: 3 },
        { apiKeyId: "b", weight: 1, policy: "lenient", capvalue: 3 },
        { apiKeyId: "c", weight: 1, capUnit: "usd", capValue: 0 },
      ],
    };
    const answer = await call("POST", "/api/quota/pools", { body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.json.errors.map(({ path }) => path).sort()).toEqual([
      "allocations[0].capUnit",
      "allocations[0].weight",
      "allocations[1].capvalue",
      "allocations[1].policy",
      "allocations[2].capValue",
      "connectionId",
      "name",
      "owner",
      "saturationThreshold",
    ]);
    expect(await pools.list()).toHaveLength(1);
  });

  const bodies: [sentence: string, body: unknown][] = [
    ["no body", undefined],
    ["null", "null"],
    ["a list", []],
    ["a text", '"pool"'],
    ["allocations that are no list", { connectionId: "other", name: "n", allocations: { a: 50 } }],
    ["allocations of null", { connectionId: "other", name: "n", allocations: null }],
    ["an allocation of null", { connectionId: "other", name: "n", allocations: [null] }],
    [
      "the same key twice",
      {
        connectionId: "other",
        name: "n",
        allocations: [
          { apiKeyId: "a", weight: 1 },
          { apiKeyId: "a", weight: 1 },
        ],
      },
    ],
    ["an id of a megabyte", { connectionId: "x".repeat(1_000_000), name: "n", allocations: [] }],
    ["an id with half a character", { connectionId: "\ud800", name: "n", allocations: [] }],
    [
      "a cap in no window of the plan",
      {
        connectionId: "other",
        name: "n",
        allocations: [{ apiKeyId: "a", weight: 1, capValue: 1, capUnit: "usd" }],
      },
    ],
    ["JSON that breaks off", '{"connectionId": "other", "na'],
    ["no JSON", "<pool/>"],
  ];
  test.each(bodies)(
    "such as %s is answered 400 with where and what, without a stack or a path of this machine",
    async (_sentence, body) => {
      const { call, pools } = await adminApp();
      const answer = await call("POST", "/api/quota/pools", { body });
      expect(answer.status).toBe(400);
      expect(answer.json.errors.length).toBeGreaterThan(0);
      for (const error of answer.json.errors)
        expect(error).toEqual({ path: expect.any(String), message: expect.stringMatching(/\.$/u) });
      expect(answer.text).not.toMatch(/node_modules|\bat \S+:\d+|\.ts\b|Error:/u);
      expect(await pools.list()).toHaveLength(1);
    },
  );

  test("of many megabytes is answered 413", async () => {
    const { call } = await adminApp();
    const answer = await call("POST", "/api/quota/pools", { body: { name: "x".repeat(5_000_000) } });
    expect([answer.status, answer.json.title]).toEqual([413, "Content Too Large"]);
  });

  test.each([
    ["POST", "/api/quota/pools", "gzip", "{}", 400],
    ["POST", "/api/quota/pools", "secret", "{}", 415],
  ])(
    "%s %s with content-encoding %s is answered as a problem",
    async (method, path, encoding, body, status) => {
      const { call } = await adminApp();
      const answer = await call(method, path, { body, headers: { "content-encoding": encoding } });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    },
  );

  test("in a path, such as percent signs that do not decode, is answered 400", async () => {
    const { call } = await adminApp();
    const answer = await call("GET", "/api/quota/pools/%E0%A4%A");
    expect(answer.status).toBe(400);
    expect(answer.text).not.toMatch(/URIError|node_modules|decode/u);
  });

  test.each(["three", '"1", "2"', "-1", '""', "1e3"])("as If-Match (%s) is answered 400", async (tag) => {
    const { call } = await adminApp();
    const answer = await call("PATCH", "/api/quota/pools/team", {
      body: { name: "N" },
      headers: { "if-match": tag },
    });
    expect(answer.json.errors).toMatchObject([{ path: "if-match" }]);
  });

  test.each([
    [{ name: null }, "name"],
    [{ allocations: null }, "allocations"],
    [{ unallocated: "share" }, "unallocated"],
    [{ connectionId: "other" }, "connectionId"],
    [{ version: 9 }, "version"],
    [{ allocations: [{ apiKeyId: "alice", weight: 101 }] }, "allocations[0].weight"],
    [
      { allocations: [{ apiKeyId: "alice", weight: 1, capValue: 1, capUnit: "usd" }] },
      "allocations[0].capWindow",
    ],
  ])("in a change (%j) is told by its place, and the pool stays as it was", async (body, path) => {
    const { call } = await adminApp();
    const answer = await call("PATCH", "/api/quota/pools/team", { body });
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toMatchObject([{ path }]);
    expect((await call("GET", "/api/quota/pools/team")).json).toMatchObject({ version: 1 });
  });

  test("that nobody foresaw is answered 500 without a word of it", async () => {
    const { call, pools } = await adminApp();
    pools.list = () => Promise.reject(new Error("secret at /srv/quota/pools.ts:12"));
    const answer = await call("GET", "/api/quota/pools");
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/secret|srv/u);
  });
});

describe("a colleague", () => {
  const path = "/api/quota/pools/team/allocations";
  const newcomer = { apiKeyId: "dave", weight: 20, policy: "soft" };

  test("joins in one call, and the others make room in proportion", async () => {
    const { call } = await adminApp();
    const joined = await call("POST", path, { body: { ...newcomer, rebalance: "proportional" } });
    expect(joined.status).toBe(201);
    expect(weights(joined.json)).toEqual({ alice: 40, bob: 24, carol: 16, dave: 20 });
    expect(joined.json.allocations[3]).toEqual(newcomer);
    expect(joined.headers.get("location")).toBe(`${path}/dave`);
    expect(joined.headers.get("etag")).toBe('"2"');
  });

  test("leaves in one call, and the others grow back, caps and policies and all", async () => {
    const { call } = await adminApp({
      allocations: [
        { apiKeyId: "alice", weight: 40, policy: "burst", capValue: 7, capUnit: "requests" },
        { apiKeyId: "bob", weight: 24 },
        { apiKeyId: "carol", weight: 16 },
        { apiKeyId: "a|b/c", weight: 20 },
      ],
    });
    const left = await call("DELETE", `${path}/${encodeURIComponent("a|b/c")}?rebalance=proportional`);
    expect(left.status).toBe(204);
    const { json } = await call("GET", "/api/quota/pools/team");
    expect(weights(json)).toEqual({ alice: 50, bob: 30, carol: 20 });
    expect(json.allocations[0]).toEqual({
      apiKeyId: "alice",
      weight: 50,
      policy: "burst",
      capValue: 7,
      capUnit: "requests",
    });
  });

  test("joins a pool that is not given out whole without touching what is left over", async () => {
    const { call } = await adminApp({ allocations: [{ apiKeyId: "alice", weight: 60 }] });
    const joined = await call("POST", path, { body: { ...newcomer, rebalance: "proportional" } });
    expect(weights(joined.json)).toEqual({ alice: 40, dave: 20 });
  });

  test("joins without rebalancing only where there is room", async () => {
    const { call } = await adminApp();
    const refused = await call("POST", path, { body: newcomer });
    expect(refused.status).toBe(400);
    expect(refused.json.errors).toMatchObject([{ path: "weight" }]);
    expect((await call("DELETE", `${path}/carol`)).status).toBe(204);
    expect(weights((await call("POST", path, { body: newcomer })).json)).toEqual({
      alice: 50,
      bob: 30,
      dave: 20,
    });
  });

  test("that is there already is a conflict, and one that is not there is not found", async () => {
    const { call } = await adminApp();
    expect((await call("POST", path, { body: { apiKeyId: "alice", weight: 1 } })).status).toBe(409);
    expect((await call("DELETE", `${path}/dave`)).status).toBe(404);
  });

  test.each([
    [
      { apiKeyId: "", weight: -1, capValue: 2, rebalance: "evenly", extra: 1 },
      ["apiKeyId", "capUnit", "extra", "rebalance", "weight"],
    ],
    [{ rebalance: "proportional" }, ["apiKeyId", "weight"]],
    [{ apiKeyId: "dave", weight: 1, capUnit: "usd", capValue: 3, rebalance: "proportional" }, ["capWindow"]],
  ])("described wrong (%j) is told so by place", async (body, paths) => {
    const { call } = await adminApp();
    const answer = await call("POST", path, { body });
    expect(answer.status).toBe(400);
    expect(answer.json.errors.map((error) => error.path).sort()).toEqual(paths);
    expect((await call("GET", "/api/quota/pools/team")).json.version).toBe(1);
  });

  test("is not lost when eight join at once", async () => {
    const { call } = await adminApp();
    const names = Array.from({ length: 8 }, (_, i) => `new-${String(i)}`);
    const answers = await Promise.all(
      names.map((apiKeyId) =>
        call("POST", path, { body: { apiKeyId, weight: 5, rebalance: "proportional" } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    const { json } = await call("GET", "/api/quota/pools/team");
    expect(Object.keys(weights(json)).sort()).toEqual(["alice", "bob", "carol", ...names].sort());
    expect(Math.round(Object.values(weights(json)).reduce((a, b) => a + b, 0) * 1e6)).toBe(100_000_000);
  });

  test("who joins on an old version is answered 412", async () => {
    const { call } = await adminApp();
    await call("PATCH", "/api/quota/pools/team", { body: { name: "N" } });
    const answer = await call("POST", path, {
      body: { ...newcomer, rebalance: "proportional" },
      headers: { "if-match": '"1"' },
    });
    expect([answer.status, answer.json.pool.version]).toEqual([412, 2]);
  });
});

describe("a plan", () => {
  test("comes from the catalog until one is stored, and again when that is deleted", async () => {
    const { call, plans } = await adminApp();
    await plans.delete("seat");
    const path = "/api/quota/plans/seat";
    const etag = expect.stringMatching(/^"[\w-]{22}"$/u) as string;
    const catalog = {
      etag,
      connectionId: "seat",
      provider: "kimi",
      source: "catalog",
      dimensions: [{ unit: "requests", window: "hourly", limit: 1500 }],
    };
    expect((await call("GET", path)).json).toEqual(catalog);
    const dimensions = [
      { unit: "requests", window: "hourly", limit: 100 },
      { unit: "tokens", window: "5h", limit: "unknown", slots: 5, edge: "full" },
    ];
    const stored = { ...catalog, source: "manual", dimensions };
    const put = await call("PUT", path, { body: { dimensions } });
    expect([put.status, put.json]).toEqual([200, stored]);
    expect((await call("GET", "/api/quota/plans")).json).toMatchObject([
      stored,
      { connectionId: "other", provider: "codex", source: "catalog" },
    ]);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", path)).json).toEqual(catalog);
    expect((await call("DELETE", path)).status).toBe(404);
  });

  test("is changed by whoever has seen it as it is, and by nobody who has not", async () => {
    const { call } = await adminApp();
    const path = "/api/quota/plans/seat";
    const body = (limit: number) => ({ dimensions: [{ unit: "requests", window: "hourly", limit }] });
    const as = (etag: string | null) => ({ headers: { "if-match": etag! } });
    const seen = await call("GET", path);
    const etag = seen.headers.get("etag");
    expect(seen.json).toMatchObject({ etag });
    expect((await call("GET", path)).headers.get("etag")).toBe(etag);
    const previewed = await call("POST", `${path}/preview`, { body: body(7) });
    expect(previewed.headers.get("etag")).toBe(etag);

    // Two who have seen the same and save in the same instant: one of them is told.
    const both = await Promise.all(
      [7, 8].map((limit) => call("PUT", path, { body: body(limit), ...as(etag) })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const [written, late] = both.toSorted((a, b) => a.status - b.status);
    const now = written!.headers.get("etag");
    expect(now).not.toBe(etag);
    expect(late!.headers.get("etag")).toBe(now);
    expect(late!.json).toMatchObject({ plan: written!.json });
    expect((await call("GET", path)).json).toEqual(written!.json);

    expect((await call("DELETE", path, as(etag))).status).toBe(412);
    expect((await call("PUT", path, { body: body(9), ...as("3") })).status).toBe(412);
    expect((await call("PUT", path, { body: body(9), ...as(`"other", W/${now!}`) })).status).toBe(200);
    expect((await call("PUT", path, { body: body(7), ...as("*") })).headers.get("etag")).toBe(now);
    expect((await call("PUT", path, { body: body(9) })).status).toBe(200);
    const last = await call("PUT", path, { body: body(7) });
    expect((await call("DELETE", path, as(last.headers.get("etag")))).status).toBe(204);
    // It is the catalog's by now, whatever was stored.
    expect((await call("DELETE", path, as(now))).status).toBe(412);
  });

  test.each([
    [{ dimensions: [{ unit: "requests", window: "hourly", limit: 0 }] }, "dimensions[0].limit", /"unknown"/u],
    [{ dimensions: [{ unit: "requests", window: "hourly", limit: -5 }] }, "dimensions[0].limit", /limit/u],
    [{ dimensions: [{ unit: "requests", window: "hourly", limit: 1e308 }] }, "dimensions[0].limit", /limit/u],
    [{ dimensions: [{ unit: "requests", window: "hourly", limit: true }] }, "dimensions[0].limit", /limit/u],
    [{ dimensions: [{ unit: "requests", window: "hourly", limit: "0.1" }] }, "dimensions[0].limit", /limit/u],
    [{ dimensions: [{ unit: "requests", window: "fortnight", limit: 5 }] }, "dimensions[0].window", /5h/u],
    [{ dimensions: "none" }, "dimensions", /list/u],
    [{}, "dimensions", /list/u],
    [{ dimensions: [], limit: 3 }, "limit", /spell/u],
  ])("of %j is refused, and the one before stays", async (body, path, words) => {
    const { call } = await adminApp();
    const answer = await call("PUT", "/api/quota/plans/seat", { body });
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toEqual([{ path, message: expect.stringMatching(words) }]);
    expect((await call("GET", "/api/quota/plans/seat")).json.dimensions).toEqual([
      { unit: "requests", window: "hourly", limit: 100 },
    ]);
  });

  test("that would leave a cap without a window is refused, and so is taking such a one away", async () => {
    const allocations = [{ apiKeyId: "alice", weight: 50, capValue: 5, capUnit: "usd" as const }];
    const { call } = await adminApp({
      dimensions: [{ unit: "usd", window: "daily", limit: 50 }],
      allocations,
    });
    const put = await call("PUT", "/api/quota/plans/seat", {
      body: { dimensions: [{ unit: "requests", window: "hourly", limit: 5 }] },
    });
    expect(put.json.errors).toEqual([{ path: "dimensions", message: expect.stringContaining("usd") }]);
    expect((await call("DELETE", "/api/quota/plans/seat")).status).toBe(409);
    expect((await call("GET", "/api/quota/plans/seat")).json).toMatchObject({ source: "manual" });
  });

  test("of a connection that nobody knows is not found", async () => {
    const { call } = await adminApp();
    for (const method of ["GET", "PUT", "DELETE"])
      expect(
        (
          await call(method, "/api/quota/plans/nobody", {
            ...(method === "PUT" && { body: { dimensions: [] } }),
          })
        ).status,
      ).toBe(404);
  });

  test("with a limit that changes in the middle of a window binds at once, and opens at once (H04)", async () => {
    const { call, engine } = await adminApp();
    const alice = { apiKeyId: "alice", connectionId: "seat", provider: "kimi" };
    await engine.consume({ ...alice, amounts: { requests: 40, tokens: 9000 } });
    const limit = (number: number, more: object[] = []) =>
      call("PUT", "/api/quota/plans/seat", {
        body: { dimensions: [{ unit: "requests", window: "hourly", limit: number }, ...more] },
      });
    await limit(10);
    const blocked = await call("GET", "/api/quota/preview?poolId=team&apiKeyId=alice");
    expect(blocked.json).toMatchObject({
      status: "refused",
      dimensions: [{ used: 40, remaining: 0, available: 0 }],
    });
    await limit(100);
    expect((await call("GET", "/api/quota/preview?poolId=team&apiKeyId=alice")).json).toMatchObject({
      status: "allowed",
      dimensions: [{ used: 40, remaining: 10 }],
    });
    await limit(100, [{ unit: "tokens", window: "5h", limit: 1000 }]);
    const { dimensions } = (await call("GET", "/api/quota/pools/team/usage")).json;
    expect(dimensions).toMatchObject([
      { unit: "requests", consumedTotal: 40 },
      { unit: "tokens", consumedTotal: 0 },
    ]);
  });
});

describe("a preview", () => {
  const path = "/api/quota/preview?poolId=team&apiKeyId=bob";

  test("says what would happen, in units, and changes nothing", async () => {
    const { call, engine } = await adminApp({ dimensions: [{ unit: "usd", window: "daily", limit: 10 }] });
    const answer = await call("GET", `${path}&estimatedUsd=2.5&estimatedTokens=900`);
    expect(answer.json).toMatchObject({
      status: "allowed",
      allowed: true,
      dimensions: [{ name: "usd/daily", cost: 2.5, limit: 10, share: 3, available: 10 }],
    });
    expect((await engine.usage("team"))!.dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
    expect((await call("GET", `${path}&estimatedUsd=12`)).json).toMatchObject({
      status: "refused",
      reason: "too-large",
      decidedBy: "usd/daily",
    });
  });

  test.each(["-1", "NaN", "1e308", "true", "0x10", "", " 1", "1e3", "99999999999999999999"])(
    "of %j requests is refused as bad input",
    async (amount) => {
      const { call } = await adminApp();
      const answer = await call("GET", `${path}&estimatedRequests=${encodeURIComponent(amount)}`);
      expect(answer.status).toBe(400);
      expect(answer.json.errors).toMatchObject([{ path: "estimatedRequests" }]);
    },
  );

  test("without ids, or with one twice, is told what is missing", async () => {
    const { call } = await adminApp();
    const answer = await call("GET", "/api/quota/preview?apiKeyId=a&apiKeyId=b&estimatedUsd=x");
    expect(answer.json.errors.map((error) => error.path)).toEqual(["poolId", "apiKeyId", "estimatedUsd"]);
    expect((await call("GET", "/api/quota/preview?poolId=none&apiKeyId=a")).status).toBe(404);
  });
});
