import { StoreError, type Logger } from "@quota/engine";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPostgres } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describeWithPostgres("openPostgres", (server) => {
  let place: Scratch;
  beforeEach(async () => {
    place = await scratch(server);
  });
  afterEach(() => place.remove());

  test.each([
    ["mysql://localhost/quota", "not-a-url"],
    ["postgres://127.0.0.1:1/quota", "unreachable"],
  ])("%s is refused in a sentence (%s)", async (url, code) => {
    await expect(openPostgres({ url })).rejects.toMatchObject({ name: "PostgresError", code });
  });

  test("a database that is not there is, too, and no password is told", async () => {
    const url = server.replace("postgres@", "postgres:secret@").replace(/postgres$/, "nowhere");
    const refusal = openPostgres({ url });
    await expect(refusal).rejects.toMatchObject({
      code: "refused",
      message: expect.not.stringMatching("secret"),
    });
  });

  test("a database that can only be read, or that keeps texts in an encoding of old, is refused", async () => {
    await place.database.query(
      `ALTER DATABASE ${place.database.name} SET default_transaction_read_only = on`,
    );
    await expect(place.open()).rejects.toMatchObject({ code: "read-only" });
  });

  test("a transaction is kept whole, or not at all", async () => {
    const db = await place.open();
    await db.write(async ({ run }) => {
      await run("CREATE TABLE kept (number int PRIMARY KEY)");
      expect(await run("INSERT INTO kept VALUES (1), (2)")).toBe(2);
    });
    const mistake = new Error("mistake");
    const failed = db.write(async ({ run }) => {
      await run("INSERT INTO kept VALUES (3)");
      throw mistake;
    });
    await expect(failed).rejects.toBe(mistake);
    const twice = db.write(async ({ run }) => {
      await run("INSERT INTO kept VALUES (4)");
      await run("INSERT INTO kept VALUES (1)");
    });
    await expect(twice).rejects.toMatchObject({
      name: "StoreError",
      applied: "no",
      cause: { code: "23505" },
    });
    const swallowed = db.write(async ({ run }) => {
      await run("INSERT INTO kept VALUES (5)");
      await run("INSERT INTO kept VALUES (1)").catch(() => undefined);
    });
    await expect(swallowed).rejects.toMatchObject({ name: "StoreError", applied: "no" });
    expect(await db.rows("SELECT number FROM kept ORDER BY 1")).toEqual([{ number: 1 }, { number: 2 }]);
  });

  test("of two transactions that wait for each other, both are done in the end", async () => {
    const db = await place.open();
    await db.write(({ run }) =>
      run("CREATE TABLE purse AS SELECT id, 0 AS coins FROM generate_series(1, 2) AS id"),
    );
    let runs = 0;
    let meet: (() => void) | undefined;
    const both = new Promise<void>((resolve) => (meet = resolve));
    const give = async (order: readonly number[]) =>
      await db.write(async ({ run }) => {
        for (const [i, id] of order.entries()) {
          await run("UPDATE purse SET coins = coins + 1 WHERE id = $1", [id]);
          if (i > 0) continue;
          runs += 1;
          if (runs === 2) meet?.();
          await both;
        }
      });
    await Promise.all([give([1, 2]), give([2, 1])]);
    expect(runs).toBeGreaterThan(2);
    expect(await db.rows("SELECT coins FROM purse")).toEqual([{ coins: 2 }, { coins: 2 }]);
  });

  test("a lost answer to a commit is said to be one; a statement that is cut is not", async () => {
    const db = await place.open();
    await db.write(({ run }) => run("CREATE TABLE kept (number int)"));
    const cut = db.write(async ({ rows, run }) => {
      await run("INSERT INTO kept VALUES (1)");
      await rows("SELECT pg_terminate_backend(pg_backend_pid())");
    });
    await expect(cut).rejects.toMatchObject({ name: "StoreError", applied: "no" });
    // A constraint that is looked at by the commit itself, and which takes the connection away.
    await place.database.query(`
      CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER leaving AFTER INSERT ON kept DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION leave()`);
    const lost = db.write(({ run }) => run("INSERT INTO kept VALUES (2)"));
    await expect(lost).rejects.toMatchObject({ name: "StoreError", applied: "unknown" });
    // Whoever comes next has a connection all the same.
    expect(await db.rows("SELECT number FROM kept")).toEqual([]);
  });

  test("where every connection is in use, it is an error after a while, and nothing was done", async () => {
    const db = await place.open({ connections: 1, timeoutMs: 300 });
    let go: (() => void) | undefined;
    const held = db.write(() => new Promise<void>((resolve) => (go = resolve)));
    await expect(db.write(async () => "never")).rejects.toMatchObject({ name: "StoreError", applied: "no" });
    await expect(db.rows("SELECT 1")).rejects.toBeInstanceOf(StoreError);
    go?.();
    await held;
    expect(await db.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("a statement that takes too long is given up", async () => {
    const db = await place.open({ timeoutMs: 200 });
    await expect(db.rows("SELECT pg_sleep(60)")).rejects.toMatchObject({
      name: "StoreError",
      cause: { code: "57014" },
    });
  });

  test("connections that are cut while nobody uses them are said, and harm nobody", async () => {
    const said: string[] = [];
    const logger: Logger = { warn: (entry) => said.push(entry.scope) };
    const db = await place.open({ logger });
    await db.rows("SELECT 1");
    await place.database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quota' AND datname = current_database()",
    );
    await expect.poll(() => said, { timeout: 20_000 }).toContain("quota:postgres");
    expect(await db.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("after closing, once or twice, everything is rejected", async () => {
    const db = await place.open();
    await db.close();
    await db.close();
    await expect(db.rows("SELECT 1")).rejects.toBeInstanceOf(StoreError);
    await expect(db.write(async () => 1)).rejects.toMatchObject({ name: "StoreError", applied: "no" });
  });
});
