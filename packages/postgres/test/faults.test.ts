import type { Budget, SpendEvent, SpendSubject } from "@quota/core";
import {
  createDatabase,
  startPostgres,
  type LocalDatabase,
  type PostgresServer,
} from "@quota/local-postgres";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { StoreError } from "@quota/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createPostgresSpendBooks,
  openPostgres,
  type PostgresDatabase,
  type PostgresSpendBooks,
} from "../src/index.js";

const NOON = Date.UTC(2026, 1, 10, 12);
const alice: SpendSubject = { kind: "key", id: "alice" };
const budget: Budget = { limit: 1e9, period: "day", timeZone: "UTC", since: 0, whenUnpriced: "allow" };
const event = (requestId: string): SpendEvent => ({
  requestId,
  subjects: [alice],
  cost: 1,
  startedAt: NOON,
  endedAt: NOON,
  outcome: "answered",
});

// A server of its own, which is ended as a crash does.
describeWithPostgres("spend books on a server that goes away", () => {
  let server: PostgresServer;
  let database: LocalDatabase;
  let db: PostgresDatabase;
  let books: PostgresSpendBooks;
  beforeAll(async () => {
    server = await startPostgres({ durable: true });
    database = await createDatabase(server.url);
    db = await openPostgres({ url: database.url, timeoutMs: 20_000 });
    books = await createPostgresSpendBooks(db);
  }, 120_000);
  afterAll(async () => {
    await db.close();
    await server.stop();
  });

  test("restarted amid commits, the ledger has each event once when all were committed again", async () => {
    const { ledger, budgets } = books;
    await budgets.set(alice, budget, NOON);
    for (let round = 0; round < 3; round += 1) {
      const before = await ledger.total(alice);
      const batches = Array.from({ length: 12 }, (_, b) =>
        Array.from({ length: 20 }, (_, i) => event(`${String(round)} ${String(b)} ${String(i)}`)),
      );
      for (const { requestId } of batches.flat().slice(0, 5))
        await budgets.hold(
          { requestId, subjects: [alice], startedAt: NOON, estimate: 5, leaseEnd: NOON + 60_000 },
          NOON,
        );
      const commits = batches.map((batch) => ledger.commit(batch, NOON));
      const all = Promise.allSettled(commits);
      // At the first that is done, the others are anywhere.
      await Promise.race(commits);
      await server.kill();
      const outcomes = await all;
      for (const outcome of outcomes)
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(StoreError);
      await expect(ledger.total(alice)).rejects.toMatchObject({ name: "StoreError", applied: "no" });
      await server.start();
      // What was answered is there.
      const answered = outcomes.filter(({ status }) => status === "fulfilled").length;
      expect(await ledger.total(alice)).toBeGreaterThanOrEqual(before + BigInt(answered * 20));
      for (const batch of batches) {
        const { added, known } = await ledger.commit(batch, NOON);
        expect([0, 20]).toContain(added);
        expect(added + known).toBe(20);
      }
      expect(await ledger.total(alice)).toBe(before + 240n);
      expect(await budgets.standing(alice, NOON)).toMatchObject({ spent: before + 240n, pending: 0n });
    }
  }, 120_000);

  test("a commit whose answer is lost says so, and the same again adds nothing", async () => {
    await database.query(`
      CREATE FUNCTION leave_after_commit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER leaving AFTER INSERT ON spend_ids DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION leave_after_commit()`);
    await expect(books.ledger.commit([event("lost")], NOON)).rejects.toMatchObject({
      name: "StoreError",
      applied: "unknown",
    });
    await database.query("DROP TRIGGER leaving ON spend_ids");
    const before = await books.ledger.total(alice);
    const { added } = await books.ledger.commit([event("lost")], NOON);
    expect(await books.ledger.commit([event("lost")], NOON)).toEqual({ added: 0, known: 1 });
    expect(await books.ledger.total(alice)).toBe(before + BigInt(added));
  });
});
