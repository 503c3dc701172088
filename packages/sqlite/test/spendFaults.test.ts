import type { Budget, SpendEvent, SpendSubject } from "@quota/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createSqliteAffinity,
  createSqliteLiveState,
  createSqliteSpendBooks,
  createSqliteSpendQueue,
  type QuotaDatabase,
} from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";
import { NOW } from "./takeStep.js";

const alice: SpendSubject = { kind: "key", id: "alice" };

function spend(requestId: string, cost = 5): SpendEvent {
  return { requestId, subjects: [alice], cost, startedAt: NOW, endedAt: NOW, outcome: "answered" };
}

const budget: Budget = { limit: 100, period: "day", timeZone: "UTC", since: 0, whenUnpriced: "allow" };

const asked = (requestId: string, estimate = 10) => ({
  requestId,
  subjects: [alice],
  startedAt: NOW,
  estimate,
  leaseEnd: NOW + 60_000,
});

describe("spend in a file that gives trouble", () => {
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

  test("damaged items of two machines' queues are kept apart by the ledger that both lead to", async () => {
    const { ledger } = createSqliteSpendBooks(db);
    const elsewhere = scratch();
    const machines = [db, await elsewhere.open()];
    for (const [i, machine] of machines.entries()) {
      const queue = createSqliteSpendQueue(machine);
      await queue.enqueueSpend(spend(`r${String(i)}`), NOW + i);
      machine.connection.prepare("UPDATE spend_queue SET payload = 'torn'").run();
      await ledger.keepDeadLetter((await queue.peekSpend(1)).damaged!, NOW);
    }
    elsewhere.remove();
    expect((await ledger.deadLetters()).map(({ requestId }) => requestId).sort()).toEqual(["r0", "r1"]);
  });

  test.each([
    ["what its event adds up to is hot no more", "UPDATE spend_queue SET subjects = 'torn'", 0n],
    ["nor is it where that is no list", "UPDATE spend_queue SET subjects = '{}'", 0n],
    ["unless nobody can say whose it was", "UPDATE spend_queue SET subjects = 'torn', payload = 'torn'", 5n],
  ])("a head whose payers cannot be read leaves the queue all the same: %s", async (_, damage, hot) => {
    const queue = createSqliteSpendQueue(db);
    await queue.enqueueSpend(spend("r"), NOW);
    db.connection.exec(damage);
    const { items, damaged } = await queue.peekSpend(1);
    expect(await queue.ackSpend((items[0] ?? damaged)!.position, 1)).toBe(true);
    expect(await queue.backlog()).toMatchObject({ waiting: 0 });
    expect(await queue.hotSpend(alice)).toBe(hot);
  });

  const fill = (): void => {
    db.connection.pragma(`max_page_count = ${String(db.connection.pragma("page_count", { simple: true }))}`);
  };
  const full = { name: "StoreError", applied: "no", cause: { code: "SQLITE_FULL" } };

  test("a full disk keeps nothing of a batch that is handed in, nor of what it had added, until there is room", async () => {
    const queue = createSqliteSpendQueue(db);
    await queue.enqueueSpend(spend("first"), NOW);
    fill();
    // A batch ends after some milliseconds, and the first few events would fit: on this clock all of them are one.
    vi.useFakeTimers({ toFake: ["performance"] });
    const many = Array.from({ length: 200 }, (_, i) =>
      queue.enqueueSpend(spend(`${"x".repeat(250)}${String(i)}`), NOW),
    );
    for (const answer of await Promise.allSettled(many))
      expect(answer).toMatchObject({ status: "rejected", reason: full });
    expect(await queue.hotSpend(alice)).toBe(5n);
    expect(await queue.backlog()).toMatchObject({ waiting: 1 });
    db.connection.pragma("max_page_count = 1000000");
    expect(await queue.enqueueSpend(spend(`${"x".repeat(250)}0`), NOW)).toBe("queued");
    expect(await queue.hotSpend(alice)).toBe(10n);
  });

  test("a full disk keeps nothing of a commit, and the same commit adds all of it when there is room", async () => {
    const { ledger, budgets } = createSqliteSpendBooks(db);
    await budgets.set(alice, budget, NOW);
    await budgets.hold(asked("r 0"), NOW);
    const events = Array.from({ length: 400 }, (_, i) => ({
      ...spend(`r ${String(i)}`, 1),
      model: `model ${String(i)}`,
    }));
    fill();
    await expect(ledger.commit(events, NOW)).rejects.toMatchObject(full);
    expect(await ledger.total(alice)).toBe(0n);
    expect(await budgets.standing(alice, NOW)).toMatchObject({ spent: 0n, pending: 10n });
    db.connection.pragma("max_page_count = 1000000");
    expect(await ledger.commit(events, NOW)).toEqual({ added: 400, known: 0 });
    expect(await ledger.total(alice)).toBe(400n);
    expect(await budgets.standing(alice, NOW)).toMatchObject({ spent: 400n, pending: 0n });
    const groups = await ledger.spend({ groupBy: "model", from: NOW, to: NOW + 1 });
    expect(groups).toHaveLength(400);
  });

  test("while a neighbour holds the file for too long, what is handed in and held is refused as busy", async () => {
    const patient = await place.open({ lockWaitMs: 20 });
    const queue = createSqliteSpendQueue(patient);
    const { budgets } = createSqliteSpendBooks(patient);
    db.connection.exec("BEGIN IMMEDIATE");
    const busy = { name: "StoreError", applied: "no", cause: { code: "SQLITE_BUSY" } };
    await expect(queue.enqueueSpend(spend("r"), NOW)).rejects.toMatchObject(busy);
    await expect(budgets.hold(asked("r"), NOW)).rejects.toMatchObject(busy);
    db.connection.exec("ROLLBACK");
    expect(await queue.enqueueSpend(spend("r"), NOW)).toBe("queued");
  });

  test("a damaged budget stops what it bounds and nobody else, until it is stored again", async () => {
    const bob: SpendSubject = { kind: "key", id: "bob" };
    await createSqliteSpendBooks(db).budgets.set(alice, budget, NOW);
    await createSqliteSpendBooks(db).budgets.set(bob, budget, NOW);
    db.connection.exec("UPDATE budgets SET budget = '{}' WHERE subject = 'key:alice'");
    const warnings: unknown[] = [];
    const { budgets } = createSqliteSpendBooks(await place.open(), {
      logger: { warn: (entry) => warnings.push(entry) },
    });
    expect(warnings).toMatchObject([{ scope: "quota:budgets", subject: "key:alice" }]);
    expect(await budgets.budgeted([alice, bob])).toEqual([alice, bob]);
    const [damaged, sound] = await Promise.allSettled([
      budgets.hold(asked("r"), NOW),
      budgets.hold({ ...asked("s"), subjects: [bob] }, NOW),
    ]);
    expect(damaged).toMatchObject({
      status: "rejected",
      reason: { name: "StoreError", message: /store it again/ },
    });
    expect(sound).toMatchObject({ status: "fulfilled", value: { allowed: true } });
    await budgets.set(alice, budget, NOW);
    expect(await budgets.hold(asked("r"), NOW)).toMatchObject({ allowed: true });
  });

  test("thousands of holds that others have left behind refuse nobody", async () => {
    const { budgets } = createSqliteSpendBooks(db);
    await budgets.set(alice, { ...budget, limit: 1000 }, NOW);
    await Promise.all(Array.from({ length: 1000 }, (_, i) => budgets.hold(asked(String(i), 1), NOW)));
    expect(await budgets.hold(asked("one more", 1), NOW)).toMatchObject({ allowed: false });
    expect(
      await budgets.hold({ ...asked("later", 1000), leaseEnd: NOW + 120_000 }, NOW + 60_000),
    ).toMatchObject({
      allowed: true,
    });
    expect(await budgets.standing(alice, NOW + 60_000)).toMatchObject({ pending: 1000n });
  });

  test("what nothing depends on is known to nobody without the file, and it is said once", async () => {
    const warnings: unknown[] = [];
    const logger = { warn: (entry: unknown) => void warnings.push(entry) };
    const live = createSqliteLiveState(db, { logger });
    const affinity = createSqliteAffinity(db, { logger });
    db.connection.exec("DROP TABLE live_minutes; DROP TABLE live_cooldowns; DROP TABLE short_lived_texts");
    expect(await live.hitRpm("kimi-1", NOW)).toBe(undefined);
    await live.recordFailure("kimi-1", { allowed: 1, cooldownMs: 1000 }, NOW);
    expect(await live.cooled(["kimi-1"], NOW)).toEqual(new Map());
    expect(await affinity.getString("session", NOW)).toBe(undefined);
    await affinity.setString({ key: "session", value: "kimi-1", ttlMs: 1000 }, NOW);
    expect(warnings).toMatchObject([{ scope: "quota:live" }, { scope: "quota:affinity" }]);
    await expect(affinity.readAffinity("session", NOW)).rejects.toMatchObject({ name: "StoreError" });
  });
});
