import { describe, expect, it, test } from "vitest";
import type { DimensionSpec } from "@quota/core";
import { createMemoryUsageStore } from "@quota/engine";
import { engineOver, START } from "./engineOver.js";

/** What was found wrong once. */
const HOUR = 3_600_000;
const HALVES = [
  { apiKeyId: "alice", weight: 50 },
  { apiKeyId: "bob", weight: 50 },
];

describe("holds in flight", () => {
  test.each(["threshold", "reserve"] as const)(
    "count on when the rule is changed from %s, whatever slots the window was cut in",
    async (before) => {
      const world = await engineOver({
        dimensions: [{ unit: "requests", window: "hourly", limit: 100, slots: 6 }],
        pool: { allocations: HALVES, lending: before },
      });
      for (let i = 0; i < 50; i += 1)
        for (const key of ["alice", "bob"]) expect((await world.admit(key)).decision.allowed).toBe(true);
      await world.pools.update(world.pool.id, { lending: before === "reserve" ? "threshold" : "reserve" });
      expect((await world.admit("alice")).decision).toMatchObject({ status: "refused", reason: "in-flight" });
      expect(await world.dimension()).toMatchObject({ used: 100, held: 100 });
    },
  );

  it("are given back where they were held, although the plan counts in something else by now", async () => {
    const world = await engineOver({
      dimensions: [{ unit: "tokens", window: "daily", limit: 100, anchor: "epoch" }],
      pool: { allocations: HALVES, lending: "reserve" },
    });
    const { lease } = await world.admit("alice", { tokens: 50 });
    await world.pools.update(world.pool.id, {
      allocations: [
        { ...HALVES[0]!, weight: 40 },
        { ...HALVES[1]!, weight: 60 },
      ],
    });
    await world.admit("bob", { tokens: 0 });
    await world.setPlan([{ unit: "tokens", window: "hourly", limit: 100, anchor: "epoch" }]);
    expect((await world.admit("bob", { tokens: 60 })).decision.status).toBe("allowed");
    expect((await world.admit("alice", { tokens: 40 })).decision.status).toBe("allowed");
    await world.engine.release(lease!);
    expect(await world.dimension()).toMatchObject({ used: 100, spare: 0 });
  });
});

describe("retryAt", () => {
  const rows: readonly (readonly [string, DimensionSpec, number])[] = [
    [
      "a month of the calendar",
      { unit: "tokens", window: "monthly", limit: 100, anchor: { calendar: "UTC" } },
      Date.UTC(2027, 0, 20),
    ],
    [
      "a day on which clocks are set back",
      { unit: "tokens", window: "daily", limit: 100, anchor: { calendar: "Europe/Berlin" } },
      Date.UTC(2026, 9, 24, 12),
    ],
    ["an hour on the epoch", { unit: "tokens", window: "hourly", limit: 100, anchor: "epoch" }, START],
  ];
  test.each(rows)("is exact across the end of %s", async (_what, dimension, at) => {
    const world = await engineOver({
      dimensions: [dimension],
      pool: { allocations: HALVES, lending: "reserve" },
    });
    world.time.now = at;
    await world.spend("alice", { tokens: 10 });
    const { decision } = await world.admit("alice", { tokens: 99 });
    expect(decision).toMatchObject({ status: "refused", retryAt: expect.any(Number) });
    const { retryAt } = decision as { readonly retryAt: number };
    world.time.now = retryAt - 1;
    expect((await world.admit("alice", { tokens: 99 })).decision.status).toBe("refused");
    world.time.now = retryAt;
    expect((await world.admit("alice", { tokens: 99 })).decision.status).toBe("allowed");
  });

  it("is not named where asking again would only begin another window", async () => {
    const world = await engineOver({
      dimensions: [{ unit: "tokens", window: "hourly", limit: 100, anchor: "first-use" }],
      pool: { allocations: HALVES, lending: "reserve" },
    });
    await world.spend("alice", { tokens: 10 });
    const { decision } = await world.admit("alice", { tokens: 99 });
    expect(decision.status).toBe("refused");
    expect(decision).not.toHaveProperty("retryAt");
  });
});

it("a shadow that keeps reserves says nothing where a window rolls", async () => {
  const world = await engineOver({
    dimensions: [
      { unit: "requests", window: "hourly", limit: 100, anchor: "epoch" },
      { unit: "tokens", window: "hourly", limit: 100 },
    ],
    pool: { allocations: HALVES, lending: "open", shadow: "reserve" },
  });
  expect((await world.spend("alice", { tokens: 1 })) as object).not.toHaveProperty("shadow");
});

test.each(["changed", "deleted"] as const)(
  "a settlement after the pool was %s elsewhere is written at once, and is no failure of the store",
  async (what) => {
    const store = createMemoryUsageStore();
    const world = await engineOver({ store, pool: { allocations: HALVES, lending: "reserve" } });
    const { lease } = await world.admit("alice");
    await world.pools.update(world.pool.id, { allocations: [HALVES[0]!] });
    await world.another().admit(world.caller("alice"));
    world.time.now = START + HOUR / 10;
    if (what === "deleted") await world.pools.delete(world.pool.id);
    await world.engine.settle(lease!);
    expect(world.engine.status()).toEqual({ openLeases: 0, remembered: 0, storeFailure: undefined });
  },
);
