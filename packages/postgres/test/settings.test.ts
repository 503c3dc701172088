import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresSettings, SETTINGS_TOPIC, type SettingValue } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describeWithPostgres("createPostgresSettings", (server) => {
  let place: Scratch;
  beforeEach(async () => {
    place = await scratch(server);
  });
  afterEach(() => place.remove());

  test("a setting is any JSON value, under any key", async () => {
    const settings = createPostgresSettings(await place.open());
    const values: [string, SettingValue][] = [
      ["__proto__", { a: [1, null, "two\0", true, { b: -0.5 }] }],
      ["a\0b", false],
      ["a\\0b", 1],
      ["quotaStore.driver", "redis"],
      ["zero", 0],
      ["é|:{}", null],
    ];
    for (const [key, value] of values) await settings.set(key, value);
    for (const [key, value] of values) expect(await settings.get(key)).toEqual(value);
    expect(await settings.list()).toEqual(new Map(values));
  });

  test("setting replaces, deleting takes away, and another handle sees both at once", async () => {
    const settings = createPostgresSettings(await place.open());
    const neighbour = createPostgresSettings(await place.open());
    expect(await settings.get("quotaStore.driver")).toBe(undefined);
    await settings.set("quotaStore.driver", "redis");
    await neighbour.set("quotaStore.driver", "sqlite");
    expect(await settings.get("quotaStore.driver")).toBe("sqlite");
    expect(await settings.delete("quotaStore.driver")).toBe(true);
    expect(await neighbour.delete("quotaStore.driver")).toBe(false);
    expect(await neighbour.list()).toEqual(new Map());
  });

  test("several are changed and taken away in one step, or none of them", async () => {
    const settings = createPostgresSettings(await place.open());
    const change = (changes: Record<string, SettingValue | undefined>) =>
      settings.change(new Map(Object.entries(changes)));
    await change({ a: 1, b: 2 });
    await change({ a: undefined, b: 0, c: null, d: undefined });
    const changed = new Map([
      ["b", 0],
      ["c", null],
    ]);
    expect(await settings.list()).toEqual(changed);
    await place.database.query("ALTER TABLE quota_settings ADD CHECK (key <> 'bad')");
    await expect(change({ b: undefined, bad: 1 })).rejects.toMatchObject({
      name: "StoreError",
      applied: "no",
    });
    expect(await settings.list()).toEqual(changed);
  });

  test("what is no JSON is a failure that names the setting, not a value", async () => {
    const settings = createPostgresSettings(await place.open());
    await place.database.query("INSERT INTO quota_settings VALUES ('quotaStore.driver', 'redis')");
    await expect(settings.get("quotaStore.driver")).rejects.toMatchObject({
      name: "StoreError",
      message: expect.stringContaining("quotaStore.driver"),
    });
  });

  test("whoever keeps one at hand hears of its change", async () => {
    const neighbour = await place.open();
    let seen: SettingValue | undefined;
    const theirs = createPostgresSettings(neighbour);
    neighbour.watch(SETTINGS_TOPIC, async () => void (seen = await theirs.get("mode")));
    await createPostgresSettings(await place.open()).set("mode", "new");
    await expect.poll(() => seen, { timeout: 20_000 }).toBe("new");
  });
});
