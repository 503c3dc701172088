import type { LendingSpec } from "@quota/core";
import type { ExplanationJson, LendingPreviewJson } from "@quota/http";
import { quotaAdmin } from "@quota/express";
import express from "express";
import { describe, expect, test } from "vitest";
import { adminApp } from "./admin.js";
import { listening } from "./listening.js";

const POOL = "/api/quota/pools/team";
const HOLD = { rule: "reserve", curve: { hold: 2 } } as const;
/** Bob's share is never lent. */
const KEPT = [
  { apiKeyId: "alice", weight: 50 },
  { apiKeyId: "bob", weight: 30, lend: false },
];

/** Alice has 50 of the 100 an hour that are shared, bob 30 and carol 20; at half-time of a window that is laid on the epoch. */
async function halfTime(lending: LendingSpec = "reserve") {
  const app = await adminApp({ pool: { lending } });
  app.time.now += 1_800_000;
  const use = async (apiKeyId: string, requests: number) => {
    for (let i = 0; i < requests; i += 1) {
      const { lease } = await app.engine.admit({ apiKeyId, connectionId: "seat", provider: "kimi" });
      if (lease !== undefined) await app.engine.settle(lease);
    }
  };
  return { ...app, use };
}

describe("a pool's lending", () => {
  test("is made, shown, changed and taken back", async () => {
    const { call } = await adminApp();
    const allocations = [
      { apiKeyId: "alice", weight: 50, policy: "hard", lendingLimit: 10, borrowingLimit: 5 },
      { apiKeyId: "bob", weight: 30, policy: "hard", lend: false },
    ];
    const made = await call("POST", "/api/quota/pools", {
      body: { connectionId: "other", name: "New", lending: HOLD, shadow: "threshold", allocations },
    });
    expect([made.status, made.json]).toMatchObject([
      201,
      { lending: HOLD, shadow: "threshold", allocations },
    ]);
    const path = made.headers.get("location")!;
    expect((await call("GET", path)).json).toEqual(made.json);
    const changed = await call("PATCH", path, { body: { lending: "static", shadow: null } });
    expect(changed.json).toMatchObject({ lending: "static", allocations, version: 2 });
    expect(changed.json).not.toHaveProperty("shadow");
    expect((await call("PATCH", path, { body: { name: "Newer" } })).json).toMatchObject({
      lending: "static",
    });
    const shown = (await call("GET", path)).json;
    const { name, unallocated, lending, allocations: listed } = shown;
    expect(
      (await call("PATCH", path, { body: { name, unallocated, lending, allocations: listed } })).json,
    ).toEqual({ ...shown, version: 4 });
  });

  const faults: [sentence: string, change: object, paths: readonly string[]][] = [
    ["a rule that there is not", { lending: "lottery" }, ["lending"]],
    ["no rule at all", { lending: null }, ["lending"]],
    ["a curve under another rule", { lending: { rule: "open", curve: "pace" } }, ["lending.curve"]],
    ["a shadow that there is not", { shadow: { rule: "reserve", curve: { hold: 0 } } }, ["shadow.curve"]],
    ["a rule that cannot keep what stays promised", { lending: "threshold" }, ["allocations[1].lend"]],
    [
      "an allocation that is promised nothing",
      { allocations: [{ ...KEPT[1], lendingLimit: 3 }] },
      ["allocations[0].lendingLimit"],
    ],
    [
      "limits that are no part of a pool",
      { allocations: [{ ...KEPT[0], lendingLimit: 101, borrowingLimit: -1 }] },
      ["allocations[0].lendingLimit", "allocations[0].borrowingLimit"],
    ],
    [
      "a word of it that is misspelt",
      { allocations: [{ ...KEPT[0], lends: true }] },
      ["allocations[0].lends"],
    ],
  ];
  test.each(faults)("with %s is answered 400, and stays as it was", async (_sentence, body, paths) => {
    const { call } = await adminApp({ pool: { lending: "reserve" }, allocations: KEPT });
    const answer = await call("PATCH", POOL, { body });
    expect([answer.status, answer.json.errors.map(({ path }) => path)]).toEqual([400, paths]);
    expect((await call("GET", POOL)).json).toMatchObject({ version: 1, lending: "reserve" });
  });

  test("is what a colleague may join with, by the rule of the pool", async () => {
    const { call } = await adminApp({ pool: { lending: "reserve" } });
    const dave = { apiKeyId: "dave", weight: 20, policy: "soft", lend: false, borrowingLimit: 7.5 };
    const body = { ...dave, rebalance: "proportional" };
    const joined = await call("POST", `${POOL}/allocations`, { body });
    expect([joined.status, joined.json.allocations[3]]).toEqual([201, dave]);
    const plain = await adminApp();
    const refused = await plain.call("POST", `${POOL}/allocations`, { body });
    expect([refused.status, refused.json.errors]).toMatchObject([400, [{ path: "lend" }]]);
    expect(refused.json.errors[0]!.message).toMatch(/^lend cannot be kept under "threshold"/u);
  });
});

describe("why a request would be answered as it would", () => {
  const explain = async ({ call }: Pick<Awaited<ReturnType<typeof halfTime>>, "call">, query: string) =>
    (await call("GET", `${POOL}/explain?${query}`)).json as unknown as ExplanationJson;

  test("is told by every rule, with what is held for how many others, and no name of theirs", async () => {
    const house = await halfTime();
    await house.use("bob", 48);
    const told = await explain(house, "apiKeyId=bob&estimatedRequests=1");
    expect(told).toMatchObject({
      ...{ poolId: "team", apiKeyId: "bob", generatedAt: house.time.now, lending: "reserve" },
      decision: {
        status: "refused",
        reason: "reserved",
        dimensions: [{ reserve: { isExact: true, holders: 2 } }],
      },
      heldFor: [{ dimension: "requests/hourly", unit: "requests", keys: 2, amount: 52 }],
      rules: [
        { lending: "threshold", status: "allowed", available: [{ amount: 52 }] },
        { lending: "reserve", status: "refused", reason: "reserved" },
        { lending: "static", status: "refused", reason: "fair-share" },
        { lending: "open", status: "allowed" },
      ],
    });
    expect(told.words.length).toBeGreaterThan(4);
    expect(JSON.stringify(told)).not.toMatch(/alice|carol/u);

    // Changes nothing, and agrees with what happens.
    expect(await explain(house, "apiKeyId=bob&estimatedRequests=1")).toEqual(told);
    house.time.now = told.decision.retryAt! - 1;
    await house.use("bob", 1);
    expect((await house.engine.usage("team"))!.dimensions[0]!.consumedTotal).toBe(48);
    house.time.now += 1;
    await house.use("bob", 1);
    expect((await house.engine.usage("team"))!.dimensions[0]!.consumedTotal).toBe(49);
  });

  test("is told of the estimate that is asked about, and of a key without a share", async () => {
    const house = await halfTime("threshold");
    expect(await explain(house, "apiKeyId=bob&estimatedRequests=101")).toMatchObject({
      lending: "threshold",
      decision: { status: "refused", reason: "too-large", dimensions: [{ cost: 101 }] },
      heldFor: [],
    });
    expect(await explain(house, "apiKeyId=%7Bx%7D")).toMatchObject({ apiKeyId: "{x}" });
    const denying = await adminApp({ pool: { unallocated: "deny" } });
    expect(await explain(denying, "apiKeyId=dave")).toMatchObject({
      decision: { status: "refused", reason: "not-allocated", dimensions: [] },
    });
  });

  const bad: [query: string, paths: readonly string[]][] = [
    ["", ["apiKeyId"]],
    ["apiKeyId=a&apiKeyId=b", ["apiKeyId"]],
    ["apiKeyId=&estimatedTokens=-1&estimatedUsd=1e3", ["apiKeyId", "estimatedTokens", "estimatedUsd"]],
  ];
  test.each(bad)("is not told to %j: 400", async (query, paths) => {
    const { call } = await adminApp();
    const answer = await call("GET", `${POOL}/explain?${query}`);
    expect([answer.status, answer.json.errors.map(({ path }) => path)]).toEqual([400, paths]);
    expect((await call("GET", `/api/quota/pools/nowhere/explain?${query}`)).status).toBe(404);
  });
});

describe("what another rule would leave to each key", () => {
  test("is told beside what it has, and nothing is changed", async () => {
    const house = await halfTime("threshold");
    await house.use("bob", 50);
    const { status, json } = await house.call("POST", `${POOL}/lending/preview`, { body: { lending: HOLD } });
    expect([status, json]).toMatchObject([
      200,
      { poolId: "team", generatedAt: house.time.now, from: "threshold", to: HOLD },
    ]);
    const [dimension] = (json as unknown as LendingPreviewJson).dimensions;
    expect(dimension).toMatchObject({ unit: "requests", window: "hourly" });
    const available = dimension!.perKey.map(({ apiKeyId, before, after }) => [
      apiKeyId,
      before.available,
      after.available,
    ]);
    // Of the 50 that are left 70 would be held under the other rule: 35 for alice and 14 for carol, then, and the one that is over for anybody.
    expect(available).toEqual([
      ["alice", 50, 36],
      ["bob", 0, 1],
      ["carol", 50, 15],
    ]);
    expect(dimension!.perKey[1]!.before.retryAt).toBeGreaterThan(house.time.now);
    expect((await house.call("GET", POOL)).json).toMatchObject({ lending: "threshold", version: 1 });
  });

  const bad: [body: unknown, path: string][] = [
    [{}, "lending"],
    [{ lending: "lottery" }, "lending"],
    [{ lending: { rule: "reserve", curve: "steep" } }, "lending.curve"],
    [{ lending: "open", shadow: "open" }, "shadow"],
    [[], ""],
  ];
  test.each(bad)("is not told to %j: 400", async (body, path) => {
    const { call } = await adminApp();
    const answer = await call("POST", `${POOL}/lending/preview`, { body });
    expect([answer.status, answer.json.errors]).toMatchObject([400, [{ path }]]);
  });
});

test("An engine that cannot explain, or compare, has no such routes", async () => {
  const { engine, pools, plans } = await adminApp();
  const { usage, preview } = engine;
  const app = express();
  app.use(quotaAdmin({ engine: { usage, preview }, pools, plans, authorize: () => true }));
  const { url } = await listening(app);
  const asked = [
    fetch(`${url}${POOL}/explain?apiKeyId=bob`),
    fetch(`${url}${POOL}/lending/preview`, { method: "POST", body: '{"lending":"open"}' }),
  ];
  for (const answer of await Promise.all(asked))
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { detail: "There is nothing at this path." },
    ]);
});
