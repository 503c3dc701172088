import { createMemoryUsageStore, StoreError, type UsageStore } from "@quota/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { copyCounters } from "../../server/quotaStore/copyCounters.js";
import { countedInSqlite } from "./countedInSqlite.js";
import { add, held, NOW } from "./counting.js";
import { HOUR, sharedSeat } from "./sharedSeat.js";

describe("counters that are copied", () => {
  test("are added to what the target has, ledger by ledger, and then taken from the source", async () => {
    const [from, to] = [await countedInSqlite(), await countedInSqlite()];
    await add(from.store, { alice: 3, everyone: 5, back: -2 });
    await add(from.store, { everyone: 7 }, "pool:2");
    await add(to.store, { everyone: 10, other: 1 });
    const copy = await copyCounters({ from, to: to.store }, NOW);
    expect(copy.counters).toBe(4);
    expect(await held(to.store, ["alice", "everyone", "back", "other"])).toEqual([3, 15, -2, 1]);
    expect(await held(to.store, ["everyone"], "pool:2")).toEqual([7]);
    expect(await held(from.store, ["alice", "everyone"])).toEqual([3, 5]);
    await copy.finish();
    expect(await held(from.store, ["alice", "everyone", "back"])).toEqual([0, 0, 0]);
    expect((await copyCounters({ from, to: to.store }, NOW)).counters).toBe(0);
  });

  test("are taken back when the copy is not wanted after all", async () => {
    const [from, to] = [await countedInSqlite(), await countedInSqlite()];
    await add(from.store, { alice: 3, everyone: 5 });
    await add(to.store, { everyone: 10 });
    const copy = await copyCounters({ from, to: to.store }, NOW);
    await copy.undo();
    expect(await held(to.store, ["alice", "everyone"])).toEqual([0, 10]);
    expect(await held(from.store, ["alice", "everyone"])).toEqual([3, 5]);
  });

  test("stay as they are where the target is the source by another name", async () => {
    const from = await countedInSqlite();
    await add(from.store, { alice: 3, everyone: 5 });
    const copy = await copyCounters({ from, to: { ...from.store } }, NOW);
    await copy.finish();
    expect(await held(from.store, ["alice", "everyone"])).toEqual([3, 5]);
    await copy.undo();
    expect(await held(from.store, ["alice", "everyone"])).toEqual([3, 5]);
    expect(copy.counters).toBe(0);
  });

  test("go nowhere when it takes too long", async () => {
    const [from, to] = [await countedInSqlite(), await countedInSqlite()];
    await add(from.store, { everyone: 5 });
    await expect(copyCounters({ from, to: to.store, limitMs: -1 }, NOW)).rejects.toThrow("longer than");
    expect(await held(to.store, ["everyone"])).toEqual([0]);
  });

  test("of windows that each store has agreed on for itself go into the target's window, whose word stands", async () => {
    const [from, to] = [await countedInSqlite(), await countedInSqlite()];
    const world = await sharedSeat();
    const engines = [from, to].map(({ store }) => world.engineOn(store));
    // The source knows its third window when the target knows its first.
    for (const hours of [0, 6, 12]) {
      world.time.now = NOW + hours * HOUR;
      await world.say(engines[0]!, { percent: hours === 12 ? 0 : 3 });
    }
    await world.say(engines[1]!, { percent: 20 });
    await world.use(engines[0]!, 1000);
    await world.use(engines[1]!, 3000);
    const copy = await copyCounters({ from, to: to.store }, world.time.now);
    await copy.finish();
    world.time.now += 1000;
    await world.say(engines[1]!, { percent: 24 });
    expect(await world.fullness(engines[1]!)).toMatchObject({ outside: 20e6, attributed: 4e6 });
    expect((await world.requests(engines[1]!)).consumedTotal).toBe(2);
  });

  test("of rate plans keep the newer revision, not the sum of both", async () => {
    const [from, to] = [await countedInSqlite(), await countedInSqlite()];
    await add(from.store, { "revision|newest": 5 }, "rates:main");
    await add(to.store, { "revision|newest": 4 }, "rates:main");
    await copyCounters({ from, to: to.store }, NOW);
    expect(await held(to.store, ["revision|newest"], "rates:main")).toEqual([5]);
  });

  test("are whole or nothing in the target, at whatever step it fails, and whether or not a lost step was applied", async () => {
    const step = fc.constantFrom("works", "refuses", "loses the reply", "loses the request");
    const from = await countedInSqlite();
    for (const ledger of ["a", "b", "c"]) await add(from.store, { alice: 1, everyone: 2 }, ledger);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (faults) => {
        const to = createMemoryUsageStore();
        await add(to, { everyone: 10 }, "b");
        const flaky = failing(to, faults);
        let outcome: string;
        try {
          await copyCounters({ from, to: flaky }, NOW);
          outcome = "copied";
        } catch (error) {
          outcome = (error as Error).message.includes("counted twice") ? "left behind" : "nothing";
        }
        const everyone = await Promise.all(["a", "b", "c"].map((ledger) => held(to, ["everyone"], ledger)));
        if (outcome === "copied") expect(everyone.flat()).toEqual([2, 12, 2]);
        if (outcome === "nothing") expect(everyone.flat()).toEqual([0, 10, 0]);
        expect(await held(from.store, ["everyone"], "a")).toEqual([2]);
      }),
      { numRuns: 300 },
    );
  });
});

/** The store, with one fault after another in its steps, and none when they are used up. */
function failing(store: UsageStore, faults: readonly string[]): UsageStore {
  const coming = [...faults];
  return {
    ...store,
    async transact(step) {
      const fault = coming.shift() ?? "works";
      if (fault === "refuses") throw new StoreError("No.", { applied: "no" });
      if (fault === "loses the request") throw new StoreError("Lost.", { applied: "unknown" });
      const result = await store.transact(step);
      if (fault === "loses the reply") throw new StoreError("Lost.", { applied: "unknown" });
      return result;
    },
  };
}
