import { createMemoryUsageStore, StoreError, type UsageStore } from "@quota/engine";
import type { DimensionChangeJson, PlanChangeJson } from "@quota/http";
import { describe, expect, test } from "vitest";
import { adminApp } from "./admin.js";

const SEAT = "/api/quota/plans/seat";
const requests = (limit: number | "unknown", more: object = {}) => ({
  unit: "requests",
  window: "hourly",
  limit,
  ...more,
});

async function previewing(setup: Parameters<typeof adminApp>[0] = {}) {
  const app = await adminApp(setup);
  const preview = (body: unknown, path = SEAT) => app.call("POST", `${path}/preview`, { body });
  const changes = async (dimensions: readonly object[]): Promise<readonly DimensionChangeJson[]> => {
    const { status, json } = await preview({ dimensions });
    expect(status).toBe(200);
    return (json as unknown as PlanChangeJson).dimensions;
  };
  const consume = (apiKeyId: string, amounts: object) =>
    app.engine.consume({ apiKeyId, connectionId: "seat", provider: "kimi", amounts });
  return { ...app, preview, changes, consume };
}

describe("the preview of a plan", () => {
  test("tells each key's share before and after beside what it uses, and writes nothing", async () => {
    const { call, preview, consume, engine } = await previewing();
    await consume("alice", { requests: 30 });
    await engine.admit({ apiKeyId: "alice", connectionId: "seat", provider: "kimi" });
    const before = (await call("GET", SEAT)).json;
    const tokens = { unit: "tokens", window: "daily", limit: 1_000 };
    const { status, json } = await preview({ dimensions: [tokens, requests(60)] });
    expect(status).toBe(200);
    expect(json).toEqual({
      connectionId: "seat",
      provider: "kimi",
      source: "manual",
      poolId: "team",
      dimensions: [
        {
          ...requests(60),
          change: "changed",
          before: requests(100),
          perKey: [
            { apiKeyId: "alice", used: 31, fairShare: 30, fairShareBefore: 50, deficit: 1 },
            { apiKeyId: "bob", used: 0, fairShare: 18, fairShareBefore: 30, deficit: -18 },
            { apiKeyId: "carol", used: 0, fairShare: 12, fairShareBefore: 20, deficit: -12 },
          ],
        },
        {
          ...tokens,
          change: "added",
          perKey: [
            { apiKeyId: "alice", fairShare: 500 },
            { apiKeyId: "bob", fairShare: 300 },
            { apiKeyId: "carol", fairShare: 200 },
          ],
        },
      ],
    });
    expect((await call("GET", SEAT)).json).toEqual(before);
  });

  const changes: [sentence: string, dimensions: readonly object[], change: string][] = [
    ["what is stored already is the same", [requests(100)], "same"],
    ["another limit is a change", [requests(101)], "changed"],
    ["a limit that is not known any more is a change", [requests("unknown")], "changed"],
    ["an anchor is a change", [requests(100, { anchor: "epoch" })], "changed"],
    ["slots are a change", [requests(100, { slots: 4 })], "changed"],
    ["a dimension that is not listed is removed", [], "removed"],
  ];
  test.each(changes)("%s", async (_sentence, dimensions, change) => {
    const { changes } = await previewing();
    expect(await changes(dimensions)).toMatchObject([{ unit: "requests", window: "hourly", change }]);
  });

  test("of a dimension that would be gone tells the share that would go with it", async () => {
    const { changes, consume } = await previewing();
    await consume("bob", { requests: 7 });
    const [gone] = await changes([]);
    expect(gone).toMatchObject({ ...requests(100), change: "removed" });
    expect(gone!.perKey[1]).toEqual({ apiKeyId: "bob", used: 7, fairShareBefore: 30 });
  });

  test("of a revert tells the catalog's plan, and why there may be none", async () => {
    const { preview, plans } = await previewing();
    const { json } = await preview({ revert: true });
    expect(json).toMatchObject({ source: "catalog", provider: "kimi" });
    expect((json as unknown as PlanChangeJson).dimensions).toContainEqual(
      expect.objectContaining({ limit: 1500, change: "changed", before: requests(100) }),
    );
    await plans.delete("seat");
    expect((await preview({ revert: true })).status).toBe(404);
  });

  test("of a connection that nobody shares has no keys", async () => {
    const { preview } = await previewing();
    const { json } = await preview({ dimensions: [requests(5)] }, "/api/quota/plans/other");
    expect(json).toMatchObject({ connectionId: "other", source: "manual" });
    expect(json).not.toHaveProperty("poolId");
    for (const { perKey } of (json as unknown as PlanChangeJson).dimensions) expect(perKey).toEqual([]);
  });

  test.each<[sentence: string, body: unknown, path: string, status: number, errors: string[] | undefined]>([
    ["a connection that nobody knows", { dimensions: [] }, "/api/quota/plans/nobody", 404, undefined],
    ["a limit of 0", { dimensions: [requests(0)] }, SEAT, 400, ["dimensions[0].limit"]],
    ["no dimensions", {}, SEAT, 400, ["dimensions"]],
    ["a member that it does not know", { dimensions: [], extra: 1 }, SEAT, 400, ["extra"]],
    ["a revert that is none", { revert: false }, SEAT, 400, ["revert"]],
    ["a revert with dimensions", { revert: true, dimensions: [] }, SEAT, 400, ["dimensions"]],
  ])("refuses %s, as storing it would", async (_sentence, body, path, status, errors) => {
    const { preview } = await previewing();
    const answer = await preview(body, path);
    expect(answer.status).toBe(status);
    if (errors !== undefined)
      expect((answer.json as unknown as { errors: { path: string }[] }).errors.map((e) => e.path)).toEqual(
        errors,
      );
  });

  test("refuses what would leave a cap without a window, and a revert that would", async () => {
    const allocations = [{ apiKeyId: "alice", weight: 1, capValue: 5, capUnit: "usd" }] as const;
    const dimensions = [{ unit: "usd", window: "daily", limit: 9 }] as const;
    const { preview } = await previewing({ allocations, dimensions });
    expect((await preview({ dimensions: [requests(5)] })).status).toBe(400);
    expect((await preview({ revert: true })).status).toBe(409);
  });

  test("while the store is away knows everything but what is used", async () => {
    const failing = async (): Promise<never> => {
      throw new StoreError("not there", { applied: "no", cause: new Error("ECONNREFUSED") });
    };
    const store: UsageStore = { ...createMemoryUsageStore(), read: failing, transact: failing };
    const { changes } = await previewing({ store });
    const [dimension] = await changes([requests(60)]);
    expect(dimension!.perKey[0]).toEqual({ apiKeyId: "alice", fairShare: 30, fairShareBefore: 50 });
  });

  test("tells the shares that enforcement has once the plan is stored, whatever the limits", async () => {
    const { call, changes } = await previewing({
      allocations: [33.3, 4.6, 12.345678].map((weight, i) => ({ apiKeyId: `key ${String(i)}`, weight })),
    });
    interface Shown {
      readonly unit: string;
      readonly window: string;
      readonly perKey: readonly { readonly apiKeyId: string; readonly fairShare?: number }[];
    }
    const shares = (shown: readonly Shown[]) =>
      shown.map(({ unit, window, perKey }) => [
        `${unit}/${window}`,
        perKey.map(({ apiKeyId, fairShare }) => [apiKeyId, fairShare]),
      ]);
    for (const limit of [1, 7, 1500, 99_999, "unknown"] as const) {
      const dimensions = ["usd", "tokens", "percent"].flatMap((unit) => [
        { unit, window: "weekly", limit },
        { unit, window: "5h", limit: limit === 7 ? "unknown" : limit },
      ]);
      const told = (await changes(dimensions)).filter(({ change }) => change !== "removed");
      expect((await call("PUT", SEAT, { body: { dimensions } })).status).toBe(200);
      const usage = (await call("GET", "/api/quota/pools/team/usage")).json as unknown as {
        readonly dimensions: readonly Shown[];
      };
      // A plan that is stored lists its dimensions as they were written.
      expect(new Map(shares(told) as [string, unknown][])).toEqual(
        new Map(shares(usage.dimensions) as [string, unknown][]),
      );
    }
  });
});

test("how fast a pool is used up is told of pools that are there", async () => {
  const { call } = await previewing();
  expect((await call("GET", "/api/quota/pools/team/burn")).json).toMatchObject({
    poolId: "team",
    dimensions: [{ unit: "requests", used: 0, perSecond: 0, timeToExhaustionMs: null }],
  });
  expect((await call("GET", "/api/quota/pools/nobody/burn")).status).toBe(404);
});
