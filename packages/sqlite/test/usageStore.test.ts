import { StoreError } from "@quota/engine";
import Database from "better-sqlite3";
import fc from "fast-check";
import { renameSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createSqlitePoolDirectory,
  createSqliteUsageStore,
  integrityOf,
  type QuotaDatabase,
} from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";
import { add, counterOf, NOW, take } from "./takeStep.js";

describe("createSqliteUsageStore", () => {
  let place: Scratch;
  let db: QuotaDatabase;
  beforeEach(async () => {
    place = scratch();
    db = await place.open();
  });
  afterEach(() => {
    vi.useRealTimers();
    place.remove();
  });

  const rows = (): unknown =>
    db.connection
      .prepare(
        "SELECT ledger, id, bucket, amount FROM quota_consumption JOIN quota_counters USING (counter) ORDER BY id",
      )
      .all();

  describe("a batch", () => {
    test("1000 at once at a ceiling are granted exactly the ceiling", async () => {
      const store = createSqliteUsageStore(db);
      const answers = await Promise.all(Array.from({ length: 1000 }, () => take(store, { ceiling: 300 })));
      expect(answers.filter(Boolean)).toHaveLength(300);
      expect(answers.indexOf(false)).toBe(300);
      expect(await store.read("ledger", [counterOf("everyone")])).toEqual([300]);
    });

    test("steps that wait together are one transaction", async () => {
      const watcher = new Database(place.file);
      const changes = () => Number(watcher.pragma("data_version", { simple: true }));
      const store = createSqliteUsageStore(db);
      const before = changes();
      await Promise.all(Array.from({ length: 50 }, () => add(store, {})));
      expect(changes()).toBe(before + 1);
      await add(store, {});
      await add(store, {});
      watcher.close();
      expect(rows()).toMatchObject([{ amount: 52 }]);
    });

    test("a step that finds nobody waiting is committed before the event loop turns; those that come later in the turn, together at its end", async () => {
      const watcher = new Database(place.file);
      const changes = () => Number(watcher.pragma("data_version", { simple: true }));
      const store = createSqliteUsageStore(db);
      const before = changes();
      let turned = false;
      setImmediate(() => (turned = true));
      await add(store, {});
      expect(turned).toBe(false);
      expect(changes()).toBe(before + 1);
      const later = add(store, {});
      await Promise.resolve();
      await Promise.all([later, add(store, {})]);
      expect(turned).toBe(true);
      expect(changes()).toBe(before + 2);
      watcher.close();
    });

    test("a decision that throws, or whose verdict does not fit, rejects its own step alone", async () => {
      const store = createSqliteUsageStore(db);
      const mistake = new Error("a mistake");
      const step = { ledger: "ledger", counters: [counterOf("everyone")], now: NOW };
      const answers = await Promise.allSettled([
        add(store, { amount: 1 }),
        store.transact({
          ...step,
          decide: () => {
            throw mistake;
          },
        }),
        store.transact({ ...step, decide: () => ({ result: 0, additions: [] }) }),
        store.transact({ ...step, decide: () => ({ result: 0, additions: [0.5] }) }),
        store.transact({ ...step, decide: () => ({ result: 0, additions: [NaN] }) }),
        store.transact({
          ...step,
          counters: [counterOf("x", 0.5)],
          decide: () => ({ result: 0, additions: [1] }),
        }),
        add(store, { amount: 1 }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "rejected",
        "rejected",
        "rejected",
        "rejected",
        "fulfilled",
      ]);
      expect(answers[1]).toMatchObject({ reason: mistake });
      expect(answers[2]).toMatchObject({ reason: expect.any(TypeError) });
      expect(rows()).toMatchObject([{ amount: 2 }]);
    });

    test("a step that decides to add nothing writes nothing, whatever it looks at", async () => {
      const watcher = new Database(place.file);
      const before = watcher.pragma("data_version", { simple: true });
      const store = createSqliteUsageStore(db);
      await Promise.all([add(store, { amount: 0 }), add(store, { id: "other", amount: -0 })]);
      expect(watcher.pragma("data_version", { simple: true })).toBe(before);
      watcher.close();
      expect(rows()).toEqual([]);
    });
  });

  describe("amounts", () => {
    test("are exact up to 2^53 − 1; a sum past that is refused and changes nothing", async () => {
      const store = createSqliteUsageStore(db);
      await add(store, { amount: Number.MAX_SAFE_INTEGER - 1 });
      await add(store, { amount: 1 });
      await expect(add(store, { amount: 1 })).rejects.toMatchObject({ name: "StoreError", applied: "no" });
      const twice = [counterOf("low"), counterOf("low")];
      const sum = (additions: number[]) =>
        store.transact({
          ledger: "ledger",
          counters: twice,
          now: NOW,
          decide: () => ({ result: 0, additions }),
        });
      await sum([5, 1]);
      await expect(sum([-Number.MAX_SAFE_INTEGER, -7])).rejects.toThrow(StoreError);
      expect(await store.read("ledger", [counterOf("everyone"), counterOf("low")])).toEqual([
        Number.MAX_SAFE_INTEGER,
        6,
      ]);
      // The file agrees, and so does whoever opens it next.
      const other = createSqliteUsageStore(await place.open());
      expect(await add(other, { amount: 0 })).toBe(Number.MAX_SAFE_INTEGER);
    });
  });

  describe("what others write", () => {
    test("is noticed, on another connection and on this one", async () => {
      const store = createSqliteUsageStore(db);
      await add(store, { amount: 10 });
      await add(createSqliteUsageStore(await place.open()), { amount: 5 });
      expect(await add(store, { amount: 1 })).toBe(15);
      await add(createSqliteUsageStore(db), { amount: 4 });
      expect(await add(store, { amount: 1 })).toBe(20);
      db.connection.exec("UPDATE quota_consumption SET amount = 100");
      expect(await add(store, { amount: 0 })).toBe(100);
    });

    test("whatever is kept at hand, two stores agree on every amount", async () => {
      const store = createSqliteUsageStore(db, { maxCachedCounters: 4 });
      const neighbour = createSqliteUsageStore(await place.open(), { maxCachedCounters: 1 });
      const amounts = new Map<string, number>();
      const step = fc.record({
        handle: fc.constantFrom(store, neighbour),
        id: fc.constantFrom("a", "b", "c"),
        bucket: fc.integer({ min: 480_000, max: 480_004 }),
        amount: fc.integer({ min: -3, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          for (const { handle, id, bucket, amount } of steps) {
            const key = `${id} ${String(bucket)}`;
            const was = amounts.get(key) ?? 0;
            expect(await add(handle, { ...counterOf(id, bucket), amount })).toBe(was);
            amounts.set(key, was + amount);
          }
        }),
        { numRuns: 40 },
      );
      expect(amounts.size).toBeGreaterThan(10);
    });
  });

  describe("ids are data", () => {
    const odd = [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "a|b",
      "a:b",
      "{x}",
      "2001:db8::1",
      "a\0b",
      "a\0c",
      "a",
      " a",
      "A",
      "é",
      "e\u0301",
      "👩‍👩‍👧",
      "'; DROP TABLE quota_consumption; --",
      "%_",
      "x".repeat(1024),
      `${"x".repeat(1023)}y`,
    ];

    test("each has a counter of its own, as a ledger and as a counter", async () => {
      const store = createSqliteUsageStore(db);
      for (const [i, id] of odd.entries()) await add(store, { id, amount: i + 1 });
      for (const [i, ledger] of odd.entries()) await add(store, { ledger, amount: 100 + i });
      const reopened = createSqliteUsageStore(await place.open());
      expect(
        await reopened.read(
          "ledger",
          odd.map((id) => counterOf(id)),
        ),
      ).toEqual(odd.map((_, i) => i + 1));
      for (const [i, ledger] of odd.entries())
        expect(await add(reopened, { ledger, amount: 0 })).toBe(100 + i);
      expect(Object.keys({})).toEqual([]);
    });

    test("what is joined is not confused: a|b with c is not a with b|c", async () => {
      const store = createSqliteUsageStore(db);
      for (const separator of ["|", ":", "\0", "{", "/"]) {
        await add(store, { ledger: `a${separator}b`, id: "c", amount: 1 });
        expect(await add(store, { ledger: "a", id: `b${separator}c`, amount: 1 })).toBe(0);
      }
    });
  });

  describe("when the file cannot be written", () => {
    const full = () => {
      const pages = Number(db.connection.pragma("page_count", { simple: true }));
      db.connection.pragma(`max_page_count = ${String(pages)}`);
    };

    test("a full disk rejects the batch, keeps nothing of it, and the next one that fits works", async () => {
      const store = createSqliteUsageStore(db);
      await add(store, { amount: 7 });
      full();
      // A batch ends after some milliseconds, and the first few steps would fit: on this clock all of them are one.
      vi.useFakeTimers({ toFake: ["performance"] });
      const many = Array.from({ length: 400 }, (_, i) =>
        add(store, { id: `${String(i)} ${"x".repeat(200)}` }),
      );
      const answers = await Promise.allSettled([add(store, { amount: 1 }), ...many]);
      for (const answer of answers)
        expect(answer).toMatchObject({
          status: "rejected",
          reason: { name: "StoreError", applied: "no", cause: { code: "SQLITE_FULL" } },
        });
      expect(db.connection.inTransaction).toBe(false);
      expect(rows()).toMatchObject([{ amount: 7 }]);
      expect(await add(store, { amount: 1 })).toBe(7);
      db.connection.pragma("max_page_count = 1000000");
      await add(store, { id: "x".repeat(1000) });
      expect(rows()).toMatchObject([{ amount: 8 }, { amount: 1 }]);
    });

    test("a file that was removed or replaced takes nothing more, until it is back", async () => {
      const watched = await place.open({ watchEveryMs: 0 });
      const store = createSqliteUsageStore(watched);
      const pools = createSqlitePoolDirectory(watched);
      await add(store, { amount: 7 });
      const refused = { name: "StoreError", applied: "no", cause: { code: "replaced" } };
      renameSync(place.file, `${place.file}.away`);
      await expect(add(store, { amount: 1 })).rejects.toMatchObject(refused);
      writeFileSync(place.file, "");
      await expect(add(store, { amount: 1 })).rejects.toMatchObject(refused);
      await expect(
        pools.create({ connectionId: "seat", name: "Team", allocations: [] }, NOW),
      ).rejects.toMatchObject(refused);
      expect(integrityOf(watched)).toMatchObject({
        sound: false,
        problem: expect.stringContaining("replaced"),
      });
      renameSync(`${place.file}.away`, place.file);
      expect(await add(store, { amount: 1 })).toBe(7);
    });

    test("a commit that fails rejects the batch and keeps nothing of it", async () => {
      const store = createSqliteUsageStore(db);
      await add(store, { amount: 7 });
      // An allocation of no pool, which SQLite finds out when it commits.
      const spoil = `PRAGMA defer_foreign_keys = ON;
        INSERT INTO quota_allocations (pool_id, position, api_key_id, weight, policy) VALUES ('nobody', 0, 'a', 1, 'hard')`;
      const answers = await Promise.allSettled([
        add(store, { amount: 1 }),
        store.transact({
          ledger: "ledger",
          counters: [counterOf("everyone")],
          now: NOW,
          decide: () => {
            db.connection.exec(spoil);
            return { result: 0, additions: [1] };
          },
        }),
      ]);
      for (const answer of answers)
        expect(answer).toMatchObject({
          status: "rejected",
          reason: { name: "StoreError", applied: "no", cause: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" } },
        });
      expect(db.connection.inTransaction).toBe(false);
      expect(await add(store, { amount: 1 })).toBe(7);
      expect(rows()).toMatchObject([{ amount: 8 }]);
    });

    test("while a neighbour holds the file, steps wait without stopping the event loop", async () => {
      expect(db.connection.pragma("busy_timeout", { simple: true })).toBeLessThanOrEqual(20);
      const store = createSqliteUsageStore(db);
      const neighbour = new Database(place.file);
      neighbour.exec("BEGIN IMMEDIATE");
      let answered = false;
      const answer = add(store, { amount: 3 }).finally(() => (answered = true));
      const counted = store.read("ledger", [counterOf("everyone")]);
      // A timer can only fire if the event loop turns.
      for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(answered).toBe(false);
      expect(await counted).toEqual([0]);
      neighbour.exec("ROLLBACK");
      expect(await answer).toBe(0);
      neighbour.close();
    });

    test("a neighbour that never lets go: steps are rejected in the end, and later ones work", async () => {
      const impatient = createSqliteUsageStore(await place.open({ lockWaitMs: 20 }));
      const neighbour = new Database(place.file);
      neighbour.exec("BEGIN IMMEDIATE");
      const answers = await Promise.allSettled([
        add(impatient, {}),
        add(impatient, {}),
        impatient.forget(NOW),
      ]);
      for (const answer of answers)
        expect(answer).toMatchObject({
          status: "rejected",
          reason: { name: "StoreError", applied: "no", cause: { code: "SQLITE_BUSY" } },
        });
      neighbour.exec("ROLLBACK");
      neighbour.close();
      expect(await add(impatient, {})).toBe(0);
    });
  });

  describe("forget", () => {
    test("drops what expired before the moment, a few rows at a time, with the names that are left without rows", async () => {
      const store = createSqliteUsageStore(db);
      const old = Array.from({ length: 1700 }, (_, i) => counterOf(`key ${String(i)}`, 400_000));
      const kept = [counterOf("key 0"), counterOf("key 1")];
      const all = [...old, ...kept];
      await store.transact({
        ledger: "ledger",
        counters: all,
        now: 0,
        decide: () => ({ result: 0, additions: all.map(() => 1) }),
      });
      const expiry = old[0]!.expiresAt;
      expect(await store.forget(expiry)).toBe(0);
      expect(await store.forget(expiry + 1)).toBe(1700);
      expect(await store.forget(expiry + 1)).toBe(0);
      expect(rows()).toMatchObject([{ id: "key 0" }, { id: "key 1" }]);
      expect(db.connection.prepare("SELECT count(*) FROM quota_counters").pluck().get()).toBe(2);
      // What was kept at hand is forgotten too, and what comes back starts at 0.
      expect(await add(store, { id: "key 0", amount: 2 })).toBe(1);
      expect(
        await store.transact({
          ledger: "ledger",
          counters: [old[5]!],
          now: 0,
          decide: (amounts) => ({ result: [...amounts], additions: [4] }),
        }),
      ).toEqual([0]);
      expect(await store.read("ledger", [old[5]!])).toEqual([4]);
    });
  });

  describe("close", () => {
    test("waits for what was asked before, and refuses what comes after; the database stays open", async () => {
      const store = createSqliteUsageStore(db);
      const pending = [add(store, {}), add(store, {})];
      await Promise.all([store.close(), store.close()]);
      expect(await Promise.all(pending)).toEqual([0, 1]);
      for (const late of [add(store, {}), store.read("ledger", []), store.forget(0)])
        await expect(late).rejects.toMatchObject({ name: "StoreError", applied: "no" });
      expect(await add(createSqliteUsageStore(db), {})).toBe(2);
    });

    test("a database closed under a store is a failure of the store, not of the process", async () => {
      const closed = await place.open();
      const store = createSqliteUsageStore(closed);
      closed.close();
      await expect(add(store, {})).rejects.toMatchObject({
        name: "StoreError",
        applied: "no",
        cause: expect.any(Error),
      });
      await expect(store.read("ledger", [counterOf("a")])).rejects.toThrow(StoreError);
      await store.close();
    });
  });
});
