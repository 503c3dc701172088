import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate, type Migration } from "../src/index.js";
import { QUOTA_MIGRATIONS } from "../src/quotaMigrations.js";
import { scratch, type Scratch } from "./scratch.js";

describe("the tables of this package", () => {
  test("bear numbers of their own, in order, and the names of their files", () => {
    expect(QUOTA_MIGRATIONS.map(({ number }) => number)).toEqual(QUOTA_MIGRATIONS.map((_, i) => i + 1));
    const files = readdirSync(new URL("../src/migrations", import.meta.url)).sort();
    expect(QUOTA_MIGRATIONS.map(({ name }) => `${name}.sql`)).toEqual(files);
    for (const { number, name } of QUOTA_MIGRATIONS) expect(Number.parseInt(name, 10)).toBe(number);
  });
});

describeWithPostgres("migrate", (server) => {
  let place: Scratch;
  beforeEach(async () => {
    place = await scratch(server);
  });
  afterEach(() => place.remove());

  const people: Migration = { number: 1, name: "0001-people", sql: "CREATE TABLE people (name text)" };
  const ages: Migration = { number: 2, name: "0002-ages", sql: "ALTER TABLE people ADD COLUMN age int" };
  const app = (...migrations: Migration[]) => ({ namespace: "app", migrations });
  const tables = async () =>
    await place.database.query(
      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
    );

  test("an app's own are applied once, in the order of their numbers, beside the package's", async () => {
    const db = await place.open();
    expect(await migrate(db, app(ages, people))).toEqual(["0001-people", "0002-ages"]);
    expect(await migrate(db, app(people, ages))).toEqual([]);
    await place.open();
    expect((await tables()).filter((row) => row["table_name"] === "people")).toHaveLength(2);
  });

  test("the package's are the same on a database that has lost the record of them", async () => {
    await place.open();
    const before = await tables();
    await place.database.query("DELETE FROM schema_migrations");
    await place.open();
    expect(await tables()).toEqual(before);
  });

  test("a database that newer code has migrated is refused, untouched", async () => {
    await place.open();
    await place.database.query("INSERT INTO schema_migrations VALUES ('quota', 999, '0999-future')");
    await expect(place.open()).rejects.toMatchObject({
      code: "schema-newer",
      message: expect.stringContaining("0999-future"),
    });
  });

  test("two with one number are refused, whatever has been applied", async () => {
    const db = await place.open();
    const twin = { ...ages, number: 1 };
    await expect(migrate(db, app(people, twin))).rejects.toMatchObject({ code: "migration-conflict" });
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
      sql: "CREATE TABLE half (x int); INSERT INTO nowhere VALUES (1)",
    };
    await expect(migrate(db, app(people, broken))).rejects.toMatchObject({
      code: "migration-failed",
      message: expect.stringContaining("0002-broken"),
      cause: { code: "42P01" },
    });
    expect(await migrate(db, app(people))).toEqual(["0001-people"]);
  });

  test("several that open a fresh database at once take turns", async () => {
    const handles = await Promise.all([place.open(), place.open(), place.open()]);
    const applied = await Promise.all(handles.map((db) => migrate(db, app(people, ages))));
    expect(applied.flat()).toEqual(["0001-people", "0002-ages"]);
  });
});
