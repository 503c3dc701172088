import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteSettings, type SettingValue } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describe("createSqliteSettings", () => {
  let place: Scratch;
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  test("a setting is any JSON value, under any key", async () => {
    const settings = createSqliteSettings(await place.open());
    const values: [string, SettingValue][] = [
      ["quotaStore.driver", "redis"],
      ["__proto__", { a: [1, null, "two", true, { b: -0.5 }] }],
      ["a\0b", false],
      ["é|:{}", null],
      ["zero", 0],
    ];
    for (const [key, value] of values) await settings.set(key, value);
    for (const [key, value] of values) expect(await settings.get(key)).toEqual(value);
    expect(await settings.list()).toEqual(new Map(values));
  });

  test("setting replaces, deleting takes away, and another handle sees both at once", async () => {
    const settings = createSqliteSettings(await place.open());
    const neighbour = createSqliteSettings(await place.open());
    expect(await settings.get("quotaStore.driver")).toBe(undefined);
    await settings.set("quotaStore.driver", "redis");
    await neighbour.set("quotaStore.driver", "sqlite");
    expect(await settings.get("quotaStore.driver")).toBe("sqlite");
    expect(await settings.delete("quotaStore.driver")).toBe(true);
    expect(await neighbour.delete("quotaStore.driver")).toBe(false);
    expect(await neighbour.list()).toEqual(new Map());
  });

  test("several are changed and taken away in one step, or none of them", async () => {
    const db = await place.open();
    const settings = createSqliteSettings(db);
    await settings.set("a", 1);
    await settings.set("b", 2);
    await settings.change(
      new Map<string, SettingValue | undefined>([
        ["a", undefined],
        ["b", 0],
        ["c", null],
        ["d", undefined],
      ]),
    );
    const changed = new Map([
      ["b", 0],
      ["c", null],
    ]);
    expect(await settings.list()).toEqual(changed);
    db.connection.exec(
      "CREATE TRIGGER no BEFORE INSERT ON quota_settings WHEN new.key = 'bad' BEGIN SELECT raise(ABORT, 'no'); END",
    );
    await expect(
      settings.change(
        new Map<string, SettingValue | undefined>([
          ["b", undefined],
          ["bad", 1],
        ]),
      ),
    ).rejects.toMatchObject({ name: "StoreError" });
    expect(await settings.list()).toEqual(changed);
  });

  test("what is no JSON is a failure that names the setting, not a value", async () => {
    const db = await place.open();
    const settings = createSqliteSettings(db);
    db.connection.exec("INSERT INTO quota_settings VALUES ('quotaStore.driver', 'redis')");
    await expect(settings.get("quotaStore.driver")).rejects.toMatchObject({
      name: "StoreError",
      message: expect.stringContaining("quotaStore.driver"),
    });
    await settings.set("quotaStore.driver", "redis");
    expect(await settings.get("quotaStore.driver")).toBe("redis");
  });
});
