import Database from "better-sqlite3";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  closeSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSqliteUsageStore, integrityOf, openQuotaDatabase, QuotaDatabaseError } from "../src/index.js";
import { buildQuotaProgram, startProgram, type QuotaProgram, type Said } from "./quotaProcesses.js";
import { scratch, type Scratch } from "./scratch.js";
import { add } from "./takeStep.js";

describe("openQuotaDatabase", () => {
  let program: QuotaProgram;
  let place: Scratch;
  beforeAll(async () => {
    program = await buildQuotaProgram();
  }, 60_000);
  afterAll(() => program.remove());
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  test("a database is opened in WAL mode, with foreign keys, and waits on its own for 20 ms at most", async () => {
    const { connection, file } = await place.open();
    const pragma = (name: string): unknown => connection.pragma(name, { simple: true });
    expect(file).toBe(place.file);
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(1);
    expect(pragma("foreign_keys")).toBe(1);
    expect(pragma("busy_timeout")).toBeGreaterThan(0);
    expect(pragma("busy_timeout")).toBeLessThanOrEqual(20);
  });

  test("what is in the file outlives the handle", async () => {
    const db = await openQuotaDatabase({ file: place.file });
    await add(createSqliteUsageStore(db), { amount: 41 });
    db.close();
    expect(await add(createSqliteUsageStore(await place.open()), {})).toBe(41);
  });

  describe("a file that cannot be used is named, with what to do about it", () => {
    test("there is no directory", async () => {
      const file = join(place.directory, "nowhere", "storage.sqlite");
      await expect(openQuotaDatabase({ file })).rejects.toMatchObject({
        code: "not-found",
        path: dirname(file),
      });
      expect(existsSync(dirname(file))).toBe(false);
    });

    test("the file is a directory", async () => {
      mkdirSync(place.file);
      await expect(place.open()).rejects.toMatchObject({ code: "not-writable", path: place.file });
    });

    test("the file is no database: it is left as it is", async () => {
      writeFileSync(place.file, "a diary, not a database. ".repeat(100));
      await expect(place.open()).rejects.toMatchObject({
        name: "QuotaDatabaseError",
        code: "damaged",
        path: place.file,
        message: expect.stringContaining(place.file),
        cause: { code: "SQLITE_NOTADB" },
      });
      expect(readFileSync(place.file, "utf8")).toMatch(/^a diary/);
      expect(readdirSync(place.directory)).toEqual(["storage.sqlite"]);
    });

    test("the file's schema is overwritten", async () => {
      (await openQuotaDatabase({ file: place.file })).close();
      overwrite({ file: place.file, from: 100, bytes: 3000 });
      await expect(place.open()).rejects.toMatchObject({ code: "damaged", path: place.file });
    });

    test("a page in the middle is overwritten: the health check says so", async () => {
      const first = await openQuotaDatabase({ file: place.file });
      await add(createSqliteUsageStore(first), {});
      expect(integrityOf(first)).toEqual({ sound: true });
      const root = first.connection
        .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'quota_consumption'")
        .pluck()
        .get();
      first.close();
      overwrite({ file: place.file, from: ((root ?? 0) - 1) * 4096, bytes: 4096 });
      const db = await place.open();
      expect(integrityOf(db)).toMatchObject({ sound: false, problem: expect.any(String) });
      await expect(add(createSqliteUsageStore(db), {})).rejects.toMatchObject({
        name: "StoreError",
        applied: "no",
        cause: { code: expect.stringMatching(/^SQLITE_CORRUPT/) },
      });
    });

    test("another process holds it for longer than we wait", async () => {
      const neighbour = new Database(place.file);
      neighbour.exec("CREATE TABLE theirs (x); BEGIN EXCLUSIVE");
      await expect(openQuotaDatabase({ file: place.file, lockWaitMs: 1 })).rejects.toMatchObject({
        code: "locked",
        cause: { code: "SQLITE_BUSY" },
      });
      neighbour.close();
    });
  });

  describe("for reading only", () => {
    test("nothing is made", async () => {
      await expect(place.open({ readonly: true })).rejects.toMatchObject({ code: "not-found" });
      expect(readdirSync(place.directory)).toEqual([]);
    });

    test("a migrated file is read and not written", async () => {
      const first = await place.open();
      await add(createSqliteUsageStore(first), { amount: 3 });
      const db = await place.open({ readonly: true });
      expect(db.connection.prepare("SELECT amount FROM quota_consumption").pluck().get()).toBe(3);
      await expect(add(createSqliteUsageStore(db), {})).rejects.toMatchObject({ name: "StoreError" });
    });
  });

  // As root, everything can be written: these run the program as nobody.
  describe("a user who may not write", { timeout: 60_000 }, () => {
    const root = process.getuid?.() === 0;
    const env = root ? { ...process.env, RUN_AS_UID: "65534" } : process.env;
    const openAsNobody = async (): Promise<Said | undefined> =>
      (await program.run(["open", place.file], { env })).at(0);
    const own = (path: string): void => {
      if (root) chownSync(path, 65534, 65534);
    };

    beforeEach(async () => {
      (await openQuotaDatabase({ file: place.file })).close();
      own(place.directory);
      own(place.file);
    });

    test("opens what it owns", async () => {
      expect(await openAsNobody()).toEqual({ opened: place.file });
    });

    test("the file has mode 0444", async () => {
      chmodSync(place.file, 0o444);
      expect(await openAsNobody()).toMatchObject({
        code: "not-writable",
        path: place.file,
        message: expect.stringContaining(place.file),
      });
    });

    test("the directory has mode 0555", async () => {
      chmodSync(place.directory, 0o555);
      expect(await openAsNobody()).toMatchObject({ code: "not-writable", path: place.directory });
      chmodSync(place.directory, 0o755);
    });

    test.each(["-wal", "-shm"])("another user has left a %s", async (suffix) => {
      writeFileSync(`${place.file}${suffix}`, "");
      chmodSync(`${place.file}${suffix}`, root ? 0o644 : 0o444);
      expect(await openAsNobody()).toMatchObject({
        code: "not-writable",
        path: `${place.file}${suffix}`,
      });
    });
  });

  describe("the driver is missing", { timeout: 60_000 }, () => {
    const openElsewhere = async (): Promise<Said | undefined> => {
      const copy = join(place.directory, "app", "quotaProcess.mjs");
      mkdirSync(dirname(copy), { recursive: true });
      cpSync(program.file, copy);
      const running = startProgram([copy, "open", place.file]);
      await running.ended;
      return running.said.at(0);
    };

    test("the package is not there: one sentence says so, and no database is made", async () => {
      expect(await openElsewhere()).toMatchObject({
        code: "driver-missing",
        path: place.file,
        message: expect.stringMatching(/better-sqlite3 cannot be loaded on Node v/),
        remedy: expect.stringContaining("npm rebuild better-sqlite3"),
        cause: expect.stringContaining("Cannot find package"),
      });
      expect(existsSync(place.file)).toBe(false);
    });

    test("its native part is not there: the same", async () => {
      const modules = join(place.directory, "app", "node_modules");
      const require = createRequire(import.meta.url);
      const driver = dirname(require.resolve("better-sqlite3/package.json"));
      for (const part of ["package.json", "lib"])
        cpSync(join(driver, part), join(modules, "better-sqlite3", part), { recursive: true });
      const bindings = dirname(createRequire(join(driver, "package.json")).resolve("bindings/package.json"));
      cpSync(bindings, join(modules, "bindings"), { recursive: true });
      const fileUri = dirname(
        createRequire(join(bindings, "package.json")).resolve("file-uri-to-path/package.json"),
      );
      cpSync(fileUri, join(modules, "file-uri-to-path"), { recursive: true });
      expect(await openElsewhere()).toMatchObject({
        code: "driver-missing",
        cause: expect.stringContaining("Could not locate the bindings file"),
      });
      expect(existsSync(place.file)).toBe(false);
    });
  });

  test("an error says what, where and what to do, and keeps its cause", () => {
    const cause = new Error("below");
    const error = new QuotaDatabaseError({
      code: "failed",
      path: "/x",
      problem: "It failed.",
      remedy: "Mend it.",
      cause,
    });
    expect(error).toMatchObject({
      message: "It failed. Mend it.",
      code: "failed",
      path: "/x",
      remedy: "Mend it.",
      cause,
    });
  });

  function overwrite({ file, from, bytes }: { file: string; from: number; bytes: number }): void {
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.alloc(bytes, 0xa5), 0, bytes, from);
    closeSync(handle);
  }
});
