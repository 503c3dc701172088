import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  backupTo,
  createSqlitePoolDirectory,
  createSqliteUsageStore,
  integrityOf,
  openQuotaDatabase,
} from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";
import { add, NOW } from "./takeStep.js";

describe("backupTo", () => {
  let place: Scratch;
  let copy: string;
  beforeEach(() => {
    place = scratch();
    copy = join(place.directory, "copy's.sqlite");
  });
  afterEach(() => place.remove());

  test("a backup is a whole database, with what was counted until then and not after", async () => {
    const db = await place.open();
    const store = createSqliteUsageStore(db);
    const pool = await createSqlitePoolDirectory(db).create(
      { connectionId: "c", name: "n", allocations: [] },
      NOW,
    );
    await add(store, { amount: 5 });
    const [, during] = await Promise.all([
      add(store, { amount: 1 }),
      backupTo(db, copy),
      add(store, { amount: 1 }),
    ]);
    expect(during).toBe(undefined);
    await add(store, { amount: 100 });

    expect(existsSync(`${copy}-wal`)).toBe(false);
    const restored = await openQuotaDatabase({ file: copy });
    expect(restored.connection.pragma("integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(integrityOf(restored)).toEqual({ sound: true });
    expect(await createSqlitePoolDirectory(restored).get(pool.id)).toEqual(pool);
    const counted = await add(createSqliteUsageStore(restored), { amount: 0 });
    expect(counted).toBeGreaterThanOrEqual(5);
    expect(counted).toBeLessThanOrEqual(7);
    restored.close();
  });

  test("nothing is ever overwritten, not even an empty file", async () => {
    const db = await place.open();
    for (const content of ["", "precious"]) {
      writeFileSync(copy, content);
      await expect(backupTo(db, copy)).rejects.toMatchObject({ code: "file-exists", path: copy });
      expect(readFileSync(copy, "utf8")).toBe(content);
    }
    await expect(backupTo(db, place.file)).rejects.toMatchObject({ code: "file-exists" });
  });

  test("a place that is not there is named", async () => {
    const db = await place.open();
    const nowhere = join(place.directory, "nowhere", "copy.sqlite");
    await expect(backupTo(db, nowhere)).rejects.toMatchObject({ code: "not-writable", path: nowhere });
  });
});
