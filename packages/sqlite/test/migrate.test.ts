import Database from "better-sqlite3";
import { existsSync, readdirSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqlitePoolDirectory, migrate, openQuotaDatabase, type Migration } from "../src/index.js";
import { QUOTA_MIGRATIONS } from "../src/quotaMigrations.js";
import { scratch, type Scratch } from "./scratch.js";
import { NOW } from "./takeStep.js";

describe("migrate", () => {
  let place: Scratch;
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  const people: Migration = {
    number: 1,
    name: "0001-people",
    sql: "CREATE TABLE IF NOT EXISTS people (name TEXT) STRICT;",
  };
  const ages: Migration = {
    number: 2,
    name: "0002-ages",
    sql: "-- How old they are.\nALTER TABLE people ADD COLUMN age INTEGER;",
  };
  const app = (...migrations: Migration[]) => ({ namespace: "app", migrations });
  const schemaOf = (file: string): unknown => {
    const connection = new Database(file, { readonly: true });
    try {
      return connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
    } finally {
      connection.close();
    }
  };

  describe("the tables of this package", () => {
    test("bear numbers of their own, in order, and the names of their files", () => {
      expect(QUOTA_MIGRATIONS.map(({ number }) => number)).toEqual(QUOTA_MIGRATIONS.map((_, i) => i + 1));
      const files = readdirSync(new URL("../src/migrations", import.meta.url)).sort();
      expect(QUOTA_MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files);
      for (const { number, name } of QUOTA_MIGRATIONS) expect(Number.parseInt(name, 10)).toBe(number);
    });

    test.each([
      ["opened twice", () => undefined],
      ["without its ledger", (file: string) => edit(file, "DROP TABLE schema_migrations")],
      ["without its rows in the ledger", (file: string) => edit(file, "DELETE FROM schema_migrations")],
      ["empty", (file: string) => edit(file, dropAll(file))],
    ])("are the same on a file that is %s", async (_, change) => {
      (await openQuotaDatabase({ file: place.file })).close();
      const schema = schemaOf(place.file);
      change(place.file);
      (await openQuotaDatabase({ file: place.file })).close();
      expect(schemaOf(place.file)).toEqual(schema);
    });

    test("are not made in a file that newer code has migrated", async () => {
      (await openQuotaDatabase({ file: place.file })).close();
      edit(
        place.file,
        "INSERT INTO schema_migrations (namespace, number, name) VALUES ('quota', 999, '0999-future')",
      );
      await expect(place.open()).rejects.toMatchObject({
        code: "schema-newer",
        path: place.file,
        message: expect.stringContaining("0999-future"),
      });
    });
  });

  describe("an app's own tables in the same file", () => {
    test("are applied once, in the order of their numbers", async () => {
      const db = await place.open();
      expect(await migrate(db, app(ages, people))).toEqual(["0001-people", "0002-ages"]);
      expect(await migrate(db, app(people, ages))).toEqual([]);
      expect(db.connection.pragma("table_info(people)")).toMatchObject([{ name: "name" }, { name: "age" }]);
    });

    test("a column that is there already is left alone", async () => {
      const db = await place.open();
      db.connection.exec("CREATE TABLE people (name TEXT, age INTEGER)");
      expect(await migrate(db, app(people, ages))).toEqual(["0001-people", "0002-ages"]);
      expect(await migrate(db, app(people, ages))).toEqual([]);
    });

    test("two with one number are refused, whatever has been applied", async () => {
      const db = await place.open();
      const twin = { ...ages, number: 1 };
      await expect(migrate(db, app(people, twin))).rejects.toMatchObject({
        code: "migration-conflict",
        message: expect.stringMatching(/0001-people and 0002-ages .* number 1/),
      });
      await migrate(db, app(people));
      await expect(migrate(db, app(twin))).rejects.toMatchObject({ code: "migration-conflict" });
      await expect(migrate(db, app({ ...people, number: 0 }))).rejects.toMatchObject({
        code: "migration-conflict",
      });
    });

    test("one that fails leaves nothing behind, of itself or of those applied with it", async () => {
      const db = await place.open();
      const broken = {
        number: 2,
        name: "0002-broken",
        sql: "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);",
      };
      await expect(migrate(db, app(people, broken))).rejects.toMatchObject({
        code: "migration-failed",
        message: expect.stringContaining("0002-broken"),
        cause: { code: "SQLITE_ERROR" },
      });
      expect(
        db.connection.prepare("SELECT name FROM sqlite_schema WHERE name IN ('half', 'people')").all(),
      ).toEqual([]);
      expect(await migrate(db, app(people))).toEqual(["0001-people"]);
    });

    test("one for which there is no room on the disk says so, and leaves nothing behind", async () => {
      const db = await place.open();
      db.connection.pragma(
        `max_page_count = ${String(db.connection.pragma("page_count", { simple: true }))}`,
      );
      await expect(migrate(db, app(people))).rejects.toMatchObject({
        code: "disk-full",
        path: place.file,
        cause: { code: "SQLITE_FULL" },
      });
      db.connection.pragma("max_page_count = 100000");
      expect(await migrate(db, app(people))).toEqual(["0001-people"]);
    });

    test("two handles that migrate at once take turns", async () => {
      const handles = [await place.open(), await place.open()];
      const neighbour = new Database(place.file);
      neighbour.exec("BEGIN IMMEDIATE");
      const applied = Promise.all(handles.map((db) => migrate(db, app(people, ages))));
      neighbour.exec("COMMIT");
      neighbour.close();
      expect((await applied).flat()).toEqual(["0001-people", "0002-ages"]);
    });
  });

  describe("before a migration", () => {
    test("a file with anything in it is copied; a fresh one is not", async () => {
      const db = await place.open();
      await migrate(db, app(people));
      expect(copies()).toEqual([]);
      const pool = await createSqlitePoolDirectory(db).create(
        { connectionId: "c", name: "n", allocations: [] },
        NOW,
      );
      await migrate(db, app(people, ages));
      expect(copies()).toEqual(["storage.sqlite.before-app-0002"]);
      const copy = `${place.file}.before-app-0002`;
      expect(statSync(copy).mode).toBe(statSync(place.file).mode);
      const restored = await openQuotaDatabase({ file: copy });
      expect(await createSqlitePoolDirectory(restored).get(pool.id)).toEqual(pool);
      expect(restored.connection.pragma("table_info(people)")).toHaveLength(1);
      restored.close();
    });

    test("an earlier copy is kept", async () => {
      const db = await place.open();
      await createSqlitePoolDirectory(db).create({ connectionId: "c", name: "n", allocations: [] }, NOW);
      await migrate(db, app(people));
      edit(place.file, "DELETE FROM schema_migrations WHERE namespace = 'app'");
      await migrate(db, app(people));
      expect(copies()).toEqual(["storage.sqlite.before-app-0001", "storage.sqlite.before-app-0001.2"]);
      expect(existsSync(place.file)).toBe(true);
    });

    const copies = (): string[] =>
      readdirSync(place.directory)
        .filter((name) => name.includes(".before-"))
        .sort();
  });

  function edit(file: string, sql: string): void {
    const connection = new Database(file);
    connection.exec(sql);
    connection.close();
  }

  function dropAll(file: string): string {
    const connection = new Database(file);
    const names = connection
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all();
    connection.close();
    return ["PRAGMA foreign_keys = OFF", ...names.map((name) => `DROP TABLE ${name}`)].join(";");
  }
});
