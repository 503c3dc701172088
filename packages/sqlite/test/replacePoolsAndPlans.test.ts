import { parseDimensions } from "@quota/core";
import { newPool } from "@quota/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqlitePlanOverrides, createSqlitePoolDirectory, replacePoolsAndPlans } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";
import { NOW } from "./takeStep.js";

const allocations = [{ apiKeyId: "alice", weight: 60, capValue: 5, capUnit: "usd" as const }];
const imported = Object.freeze({
  ...newPool({ id: "b", connectionId: "kimi", name: "B", allocations, whenStoreFails: { budget: 0.5 } }, NOW),
  version: 7,
});
const parsed = parseDimensions([{ unit: "usd", window: "weekly", limit: 3 }]);
const plan = parsed.ok ? parsed.value : [];

describe("replacePoolsAndPlans", () => {
  let place: Scratch;
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  async function setUp() {
    const db = await place.open();
    const pools = createSqlitePoolDirectory(db);
    const plans = createSqlitePlanOverrides(db);
    const old = await pools.create({ id: "a", connectionId: "kimi", name: "A", allocations }, NOW);
    await plans.set("other", plan);
    return { pools, plans, old, importer: await place.open() };
  }

  test("puts them in the place of all that there are, and a directory on another connection sees it", async () => {
    const { pools, plans, importer } = await setUp();
    const given = { pools: [imported], plans: new Map([["kimi", plan]]) };
    await importer.write(() => replacePoolsAndPlans(importer, given));
    expect(await pools.list()).toEqual([imported]);
    expect(await pools.ofConnection("kimi")).toEqual(imported);
    expect(await plans.list()).toEqual(new Map([["kimi", plan]]));
    expect(await pools.update("b", { name: "Renamed" })).toMatchObject({ name: "Renamed", version: 8 });
  });

  test("changes nothing when the transaction that it is part of fails", async () => {
    const { pools, plans, old, importer } = await setUp();
    const twice = { pools: [imported, { ...imported, id: "c" }], plans: new Map() };
    await expect(importer.write(() => replacePoolsAndPlans(importer, twice))).rejects.toThrow("UNIQUE");
    expect(await pools.list()).toEqual([old]);
    expect(await plans.list()).toEqual(new Map([["other", plan]]));
  });
});
