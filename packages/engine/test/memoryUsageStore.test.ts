import { QuotaConfigError } from "@quota/core";
import { describe, expect, test } from "vitest";
import { createMemoryUsageStore, StoreError, type Counter, type UsageStore } from "../src/index.js";

// The contract itself is run in packages/conformance, which depends on this package. Here: what this store promises beyond it.
const HOUR = 3_600_000;

describe("the memory store is bounded", () => {
  test("a step that needs one counter more than there is room for is rejected, whole", async () => {
    const store = createMemoryUsageStore({ maxCounters: 3 });
    await add(store, 0, [live("a"), live("b")]);

    const tooMany = add(store, 0, [live("a"), live("c"), live("d")]);
    await expect(tooMany).rejects.toThrow(StoreError);
    await expect(tooMany).rejects.toMatchObject({
      applied: "no",
      message: expect.stringContaining("maxCounters"),
    });

    expect(await amounts(store, ["a", "b", "c", "d"])).toEqual([1, 1, 0, 0]);
  });

  test("when it is full, counters that are there go on counting", async () => {
    const store = createMemoryUsageStore({ maxCounters: 2 });
    await add(store, 0, [live("a"), live("b")]);
    await add(store, 0, [live("b"), live("a")]);
    expect(await amounts(store, ["a", "b"])).toEqual([2, 2]);
  });

  test("an addition of 0 takes no room", async () => {
    const store = createMemoryUsageStore({ maxCounters: 1 });
    await store.transact({
      ledger: "ledger",
      counters: [live("a"), live("b"), live("c")],
      now: 0,
      decide: () => ({ result: "looked", additions: [0, 0, 0] }),
    });
    await add(store, 0, [live("d")]);
    expect(await amounts(store, ["a", "d"])).toEqual([0, 1]);
  });

  test("what is added to an expired counter takes no room", async () => {
    const store = createMemoryUsageStore({ maxCounters: 1 });
    await add(store, 5 * HOUR, [expiring("late", HOUR), expiring("later", 5 * HOUR), live("a")]);
    expect(await store.forget(Infinity)).toBe(1);
  });

  test("when it is full, expired counters make room at once", async () => {
    const store = createMemoryUsageStore({ maxCounters: 100 });
    for (let i = 0; i < 100; i += 1) await add(store, 0, [expiring(`old ${String(i)}`, HOUR)]);
    await add(
      store,
      HOUR + 1,
      Array.from({ length: 100 }, (_, i) => live(`new ${String(i)}`)),
    );
    expect(await store.forget(2 * HOUR)).toBe(0);
    expect(await store.forget(Infinity)).toBe(100);
  });

  test("forget makes room, in every ledger", async () => {
    const store = createMemoryUsageStore({ maxCounters: 2 });
    await add(store, 0, [expiring("a", HOUR)], "one");
    await add(store, 0, [expiring("a", HOUR)], "two");
    expect(await store.forget(HOUR)).toBe(0);
    expect(await store.forget(HOUR + 1)).toBe(2);
    await add(store, 0, [live("b"), live("c")]);
  });

  test.each([0, -1, 1.5, NaN, Infinity])("maxCounters: %s is refused at once", (maxCounters) => {
    expect(() => createMemoryUsageStore({ maxCounters })).toThrow(QuotaConfigError);
  });
});

describe("the memory store drops what has expired, without a timer", () => {
  test("as new counters are made, the old ones go: what is kept stays in proportion to what lives", async () => {
    const store = createMemoryUsageStore();
    const perHour = 200;
    for (let hour = 0; hour < 50; hour += 1)
      for (let i = 0; i < perHour; i += 1)
        await add(
          store,
          hour * HOUR,
          [expiring(`${String(hour)} ${String(i)}`, (hour + 1) * HOUR)],
          `pool ${String(i % 3)}`,
        );

    const kept = await store.forget(Infinity);
    expect(kept).toBeGreaterThanOrEqual(perHour);
    expect(kept).toBeLessThanOrEqual(4 * perHour);
  });

  test("a step sweeps nothing that a clock a minute behind still reads", async () => {
    const store = createMemoryUsageStore();
    const old = expiring("old", HOUR);
    await add(store, 0, [old]);
    for (let i = 0; i < 10; i += 1) await add(store, HOUR + 59_000, [live(`new ${String(i)}`)]);
    expect(await add(store, HOUR - 1, [old])).toEqual([1]);
  });

  test("an expired counter that is written again, with a later end, starts from 0 and is one counter", async () => {
    const store = createMemoryUsageStore();
    await add(store, 0, [expiring("a", HOUR)]);
    expect(await add(store, HOUR, [expiring("a", 9 * HOUR)])).toEqual([0]);
    expect(await add(store, HOUR, [expiring("a", 9 * HOUR)])).toEqual([1]);
    expect(await store.forget(Infinity)).toBe(1);
  });
});

test("a step is decided and written in the turn in which it is asked", async () => {
  const store = createMemoryUsageStore();
  const asked = [add(store, 0, [live("a")]), add(store, 0, [live("a")]), store.read("ledger", [live("a")])];
  expect(await Promise.all(asked)).toEqual([[0], [1], [2]]);
});

test("ids of Object.prototype are ordinary ids, and leave it alone", async () => {
  const store = createMemoryUsageStore();
  const ids = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  for (const ledger of ids) await add(store, 0, ids.map(live), ledger);
  for (const ledger of ids) expect(await amounts(store, ids, ledger)).toEqual([1, 1, 1, 1]);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

function live(id: string): Counter {
  return expiring(id, 1_000 * HOUR);
}

function expiring(id: string, expiresAt: number): Counter {
  return { id, bucket: 1, expiresAt };
}

/** Adds 1 to every counter; answers with what was there. */
async function add(
  store: UsageStore,
  now: number,
  counters: readonly Counter[],
  ledger = "ledger",
): Promise<readonly number[]> {
  return store.transact({
    ledger,
    counters,
    now,
    decide: (shown) => ({ result: [...shown], additions: counters.map(() => 1) }),
  });
}

async function amounts(
  store: UsageStore,
  ids: readonly string[],
  ledger = "ledger",
): Promise<readonly number[]> {
  return store.read(ledger, ids.map(live));
}
