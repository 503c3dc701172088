import { describeUsageStore } from "@quota/conformance";
import { createMemoryUsageStore, StoreError, type UsageStore } from "@quota/engine";
import { createSqliteUsageStore, liveCounters, openQuotaDatabase } from "@quota/sqlite";
import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyCounters, type CountedStore } from "../../server/quotaStore/copyCounters.js";
import { createSwitchingStore } from "../../server/quotaStore/createSwitchingStore.js";
import { add, held, NOW } from "./counting.js";

describeUsageStore("a store that may switch", async () => {
  const store = createSwitchingStore(createMemoryUsageStore());
  return { store, dispose: () => store.close() };
});

/** Every 23rd step or reading asks for a switch to the other of two files, with all counters; nobody waits for it. */
describeUsageStore("a store that switches again and again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "quota-demo-"));
  const dbs = await Promise.all(["a", "b"].map((name) => openQuotaDatabase({ file: join(directory, name) })));
  const [one, two] = dbs.map((db): CountedStore => ({
    store: createSqliteUsageStore(db),
    live: (now) => liveCounters(db, now),
  }));
  const switching = createSwitchingStore(one!.store);
  let asked = 0;
  const restless = (): void => {
    asked += 1;
    if (asked % 23 !== 0) return;
    const [from, to] = Math.floor(asked / 23) % 2 === 1 ? [one!, two!] : [two!, one!];
    const carry = async () => {
      // As before any counter of the suite has expired: what has, is carried as well.
      const copy = await copyCounters({ from, to: to.store }, -1e15);
      await copy.finish();
    };
    switching.switchTo(to.store, carry).catch(() => undefined);
  };
  const store: UsageStore = {
    async transact(step) {
      restless();
      return await switching.transact(step);
    },
    async read(ledger, counters) {
      restless();
      return await switching.read(ledger, counters);
    },
    forget: (before) => switching.forget(before),
    close: () => switching.close(),
  };
  return {
    store,
    async dispose() {
      await switching.close();
      for (const db of dbs) db.close();
      rmSync(directory, { recursive: true });
    },
  };
});

describe("a switch", () => {
  test("waits for the steps under way, holds new ones back, and they see what was carried", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const [from, to] = [createMemoryUsageStore(), createMemoryUsageStore()];
        const slow: UsageStore = {
          ...from,
          transact: (step) => scheduler.schedule(Promise.resolve()).then(() => from.transact(step)),
        };
        const store = createSwitchingStore(slow);
        const steps: Promise<unknown>[] = [];
        for (let i = 0; i < 3; i += 1) steps.push(add(store, { everyone: 1 }));
        const switched = store.switchTo(to, async () => {
          const [everyone = 0] = await held(from, ["everyone"]);
          expect(everyone).toBe(3);
          await scheduler.schedule(Promise.resolve());
          await add(to, { everyone });
        });
        for (let i = 0; i < 3; i += 1) steps.push(add(store, { everyone: 1 }));
        await scheduler.waitFor(Promise.all([switched, ...steps]));
        expect(await held(from, ["everyone"])).toEqual([3]);
        expect(await held(to, ["everyone"])).toEqual([6]);
        expect(store.current).toBe(to);
      }),
      { numRuns: 50 },
    );
  });

  test("that fails leaves everything as it was, and whoever waited is served by the old store", async () => {
    const from = createMemoryUsageStore();
    const store = createSwitchingStore(from);
    let waiting: Promise<unknown> | undefined;
    const carry = async () => {
      waiting = add(store, { everyone: 2 });
      throw new Error("no");
    };
    await expect(store.switchTo(createMemoryUsageStore(), carry)).rejects.toThrow("no");
    await waiting;
    expect(store.current).toBe(from);
    expect(await held(from, ["everyone"])).toEqual([2]);
  });

  test("waits for the one before it", async () => {
    const [a, b, c] = [createMemoryUsageStore(), createMemoryUsageStore(), createMemoryUsageStore()];
    const store = createSwitchingStore(a);
    const seen: UsageStore[] = [];
    const look = async () => void seen.push(store.current);
    await Promise.all([store.switchTo(b, look), store.switchTo(c, look)]);
    expect(seen).toEqual([a, b]);
    expect(store.current).toBe(c);
  });

  test("tells its listener of failures of the store, not of a decision's own", async () => {
    const heard: string[] = [];
    const inner = createMemoryUsageStore();
    const store = createSwitchingStore(inner, {
      worked: () => void heard.push("worked"),
      failed: (error) => void heard.push(error.message),
    });
    const step = { ledger: "l", counters: [], now: NOW };
    await store.transact({ ...step, decide: () => ({ result: 1, additions: [] }) });
    const throws = () => {
      throw new Error("mine");
    };
    await expect(store.transact({ ...step, decide: throws })).rejects.toThrow("mine");
    await inner.close();
    await expect(store.read("l", [])).rejects.toBeInstanceOf(StoreError);
    expect(heard).toEqual(["worked", "The memory store is closed."]);
  });
});
