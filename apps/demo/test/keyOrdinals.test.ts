import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openQuotaDatabase } from "@quota/sqlite";
import fc from "fast-check";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ApiKeys } from "../server/apiKeys.js";
import { parseConfig } from "../server/config/gatewayConfig.js";
import { openSqliteStorage } from "../server/openSqliteStorage.js";
import { describeEachDatabase } from "./describeEachDatabase.js";
import { openDatabase } from "./openDatabase.js";
import { openSqliteTables } from "./openTables.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const ordinals = (keys: Pick<ApiKeys, "list">) =>
  Object.fromEntries(keys.list().map(({ id, ordinal }) => [id, ordinal]));
const logger = pino({ level: "silent" });

describeEachDatabase("the ordinal of a key", (open) => {
  test("is the smallest that no other key has, told with the secret, and the same after every change", async () => {
    const { keys } = await open();
    for (const id of ["a", "b", "c", "d"]) await keys.create({ id }, 1);
    expect(ordinals(keys)).toEqual({ a: 0, b: 1, c: 2, d: 3 });
    await keys.delete("a");
    await keys.delete("c");
    expect(await keys.create({ id: "e" }, 2)).toMatchObject({ id: "e", ordinal: 0 });
    expect(await keys.create({ id: "f" }, 2)).toMatchObject({ ordinal: 2 });
    expect(await keys.create({ id: "g" }, 2)).toMatchObject({ ordinal: 4 });
    expect(await keys.create({ id: "g" }, 3)).toBeUndefined();
    expect(await keys.update("b", { name: "B", rpm: 5 })).toMatchObject({ ordinal: 1 });
    expect(await keys.rotate("b")).toMatchObject({ ordinal: 1 });
    expect(await keys.setDisabled("b", true)).toMatchObject({ ordinal: 1 });
    expect(keys.get("b")).toMatchObject({ ordinal: 1 });
  });

  test("is never another key's, however keys come and go", async () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
    const opened = open();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), id), { maxLength: 40 }), async (steps) => {
        const { keys } = await opened;
        for (const { id } of keys.list()) await keys.delete(id);
        const model = new Map<string, number>();
        for (const [makes, id] of steps) {
          if (makes && !model.has(id)) {
            const used = new Set(model.values());
            let free = 0;
            while (used.has(free)) free += 1;
            model.set(id, free);
          } else if (!makes) model.delete(id);
          await (makes ? keys.create({ id }, 1) : keys.delete(id));
        }
        expect(ordinals(keys)).toEqual(Object.fromEntries(model));
      }),
      { numRuns: 25 },
    );
  });

  test("is given once, by two processes at once", async () => {
    const one = await open();
    const two = await one.another();
    const made = await Promise.all([one, two].map(({ keys }, i) => keys.create({ id: `k${i}` }, 1)));
    expect(made.map((key) => key!.ordinal).sort()).toEqual([0, 1]);
    await Promise.all([one.tables.catchUp(), two.tables.catchUp()]);
    expect(ordinals(one.keys)).toEqual(ordinals(two.keys));
  });

  test("stays with the keys that a new configuration keeps, and is free of those it does not", async () => {
    const { keys, config, tables } = await open();
    for (const id of ["a", "b", "c"]) await keys.create({ id }, 1);
    const read = await config.read();
    expect(JSON.stringify(read)).not.toContain("ordinal");
    const [a, b, c] = read.keys;
    const added = { ...a!, id: "new", secretHash: "0".repeat(64), createdAt: 0 };
    const parsed = parseConfig({ ...read, keys: [added, c, b] });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    await config.replace(parsed.value);
    await tables.catchUp();
    expect(ordinals(keys)).toEqual({ new: 0, b: 1, c: 2 });
  });
});

describe("the ordinal of a key in an older file", () => {
  test("is given to the keys of an older database in the order in which they were made, also by two processes at once", async () => {
    const dataDir = temporaryDirectory();
    const older = await openQuotaDatabase({ file: join(dataDir, "storage.sqlite") });
    for (const sql of MIGRATIONS.slice(0, 3)) older.connection.exec(sql);
    const insert = older.connection.prepare(
      "INSERT INTO api_keys (id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)",
    );
    for (const [id, at] of [
      ["a-young", 30],
      ["b", 10],
      ["a", 10],
      ["middle", 20],
    ] as const)
      insert.run(id, id, Buffer.from(id), at);
    older.close();

    const opened = await Promise.all([0, 1].map(() => openSqliteStorage({ dataDir, logger })));
    onTestFinished(() => Promise.all(opened.map((each) => each.close())).then(() => undefined));
    const expected = { a: 0, b: 1, middle: 2, "a-young": 3 };
    for (const { keys } of opened) expect(ordinals(keys)).toEqual(expected);
    const [one, two] = opened;
    const made = await Promise.all([one!.keys.create({ id: "x" }, 1), two!.keys.create({ id: "y" }, 1)]);
    expect(made.map((key) => key!.ordinal).sort()).toEqual([4, 5]);
    expect(ordinals(one!.keys)).toEqual(ordinals(two!.keys));
  });

  test("is left alone by statements that run once more, and by rows that are numbered already", async () => {
    const directory = temporaryDirectory();
    const { keys } = await openSqliteTables(directory);
    const db = await openDatabase(directory);
    for (const id of ["a", "b", "c"]) await keys.create({ id }, 1);
    await keys.delete("a");
    db.connection.exec(MIGRATIONS[3]!);
    expect(ordinals(keys)).toEqual({ b: 1, c: 2 });
    expect(await keys.create({ id: "d" }, 1)).toMatchObject({ ordinal: 0 });
  });
});

const MIGRATIONS = ["0001-api-keys", "0002-connections", "0003-rate-plan", "0005-key-ordinals"].map((name) =>
  readFileSync(new URL(`../server/migrations/${name}.sql`, import.meta.url), "utf8"),
);
