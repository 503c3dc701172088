import { parseDimensions, type Dimension } from "@quota/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqlitePlanOverrides, type QuotaDatabase } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describe("createSqlitePlanOverrides", () => {
  let place: Scratch;
  let db: QuotaDatabase;
  beforeEach(async () => {
    place = scratch();
    db = await place.open();
  });
  afterEach(() => place.remove());

  const plan = (...specs: unknown[]): readonly Dimension[] => {
    const parsed = parseDimensions(specs);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
    return parsed.value;
  };

  test("a plan of every shape is read back from the file as it was stored", async () => {
    const stored = plan(
      { unit: "usd", window: "monthly", limit: 0.1 + 0.2 },
      { unit: "percent", window: "weekly", limit: 33.333333 },
      { unit: "requests", window: "5h", limit: 9_007_199_254_740_991, slots: 10, edge: "full" },
      { unit: "tokens", window: "daily", limit: 12, anchor: "epoch" },
      { unit: "tokens", window: "5h", limit: 12, anchor: "first-use" },
      { unit: "tokens", window: "monthly", limit: 12, anchor: { calendar: "America/Sao_Paulo" } },
      { unit: "tokens", window: "hourly", limit: "unknown", slots: 60 },
    );
    await createSqlitePlanOverrides(db).set("__proto__", stored);
    const reopened = createSqlitePlanOverrides(await place.open());
    expect(await reopened.get("__proto__")).toEqual(stored);
    expect(await reopened.list()).toEqual(new Map([["__proto__", stored]]));
  });

  test.each(["{", "{}", '[{ "unit": "bananas" }]', '[{ "unit": "usd", "window": "daily", "limit": 0 }]'])(
    "a damaged plan (%s) is never passed over for a milder one: asking for it fails, until it is stored again",
    async (text) => {
      const sound = plan({ unit: "requests", window: "daily", limit: 5 });
      await createSqlitePlanOverrides(db).set("damaged", sound);
      await createSqlitePlanOverrides(db).set("sound", sound);
      db.connection
        .prepare("UPDATE provider_plans SET dimensions = ? WHERE connection_id = 'damaged'")
        .run(text);
      const warnings: unknown[] = [];
      const plans = createSqlitePlanOverrides(await place.open(), {
        logger: { warn: (entry) => warnings.push(entry) },
      });
      await expect(plans.get("damaged")).rejects.toMatchObject({
        name: "StoreError",
        message: /store it again/,
      });
      expect(await plans.get("sound")).toEqual(sound);
      expect(await plans.list()).toEqual(new Map([["sound", sound]]));
      expect(warnings).toMatchObject([{ scope: "quota:plans", connectionId: "damaged" }]);
      await plans.set("damaged", sound);
      expect(await plans.get("damaged")).toEqual(sound);
      expect(await plans.delete("damaged")).toBe(true);
    },
  );
});
