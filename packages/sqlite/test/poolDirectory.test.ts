import { decideFairShare, governPool, parseDimensions, standingOf } from "@quota/core";
import { PoolConflictError, type Logger } from "@quota/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqlitePoolDirectory, type QuotaDatabase } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";
import { NOW } from "./takeStep.js";

describe("createSqlitePoolDirectory", () => {
  let place: Scratch;
  let db: QuotaDatabase;
  beforeEach(async () => {
    place = scratch();
    db = await place.open();
  });
  afterEach(() => place.remove());

  const team = {
    id: "team",
    connectionId: "kimi-demo",
    name: "Team",
    allocations: [
      { apiKeyId: "alice", weight: 50, policy: "soft" as const },
      { apiKeyId: "bob", weight: 30, capValue: 0.7, capUnit: "usd" as const },
    ],
  };

  /** When a handle's own look at the file has been made, and everybody who looked before it has seen what there was. */
  const noticed = async (by: QuotaDatabase): Promise<void> =>
    new Promise((resolve) => {
      const stop = by.watch(() => {
        stop();
        resolve();
      });
    });

  describe("what another process writes", () => {
    test("is seen on the path of requests without anybody asking for it", async () => {
      const neighbourDb = await place.open();
      const ours = createSqlitePoolDirectory(db);
      const theirs = createSqlitePoolDirectory(neighbourDb);
      let seen = noticed(db);
      const created = await theirs.create(team, NOW);
      await seen;
      expect(await ours.ofConnection("kimi-demo")).toEqual(created);
      seen = noticed(db);
      const renamed = await theirs.update("team", {
        name: "Renamed",
        allocations: [{ apiKeyId: "carol", weight: 1 }],
      });
      await seen;
      expect(await ours.ofConnection("kimi-demo")).toEqual(renamed);
      seen = noticed(db);
      await theirs.delete("team");
      await seen;
      expect(await ours.ofConnection("kimi-demo")).toBe(undefined);
    });

    test("is what a write is judged by, even before it was noticed", async () => {
      // This handle looks at the file when it must, and never by itself.
      const blind = createSqlitePoolDirectory(await place.open({ watchEveryMs: 1_000_000 }));
      const theirs = createSqlitePoolDirectory(db);
      const created = await theirs.create(team, NOW);
      expect(await blind.ofConnection("kimi-demo")).toBe(undefined);
      await expect(blind.create({ ...team, id: "other" }, NOW)).rejects.toMatchObject({
        code: "connection-taken",
        existing: created,
      });
      const changed = await theirs.update("team", { name: "Renamed" });
      await expect(blind.update("team", { name: "Mine" }, { ifVersion: 1 })).rejects.toMatchObject({
        code: "stale",
        existing: changed,
      });
      expect(await blind.get("team")).toEqual(changed);
    });

    test("of two that make a pool for one connection at once, one is told of the other's", async () => {
      const handles = [createSqlitePoolDirectory(db), createSqlitePoolDirectory(await place.open())];
      const answers = await Promise.allSettled(
        handles.map((pools, i) => pools.create({ ...team, id: String(i) }, NOW)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(answers.find(({ status }) => status === "rejected")).toMatchObject({
        reason: expect.any(PoolConflictError),
      });
      expect(await handles[0]?.list()).toHaveLength(1);
    });
  });

  test("the table itself allows one pool per connection, and takes a pool's allocations with it", async () => {
    const pools = createSqlitePoolDirectory(db);
    await pools.create(team, NOW);
    expect(() =>
      db.connection
        .exec(`INSERT INTO quota_pools SELECT 99, 'x', connection_id, name, unallocated, saturation_threshold,
      when_store_fails, incarnation, version, created_at, revision, lending, shadow FROM quota_pools`),
    ).toThrow(/UNIQUE constraint failed: quota_pools.connection_id/);
    await pools.delete("team");
    expect(db.connection.prepare("SELECT count(*) FROM quota_allocations").pluck().get()).toBe(0);
  });

  test("a pool made again under the same id is another incarnation, at version 1", async () => {
    const pools = createSqlitePoolDirectory(db);
    const first = await pools.create(team, NOW);
    await pools.update("team", { name: "x" });
    await pools.delete("team");
    const second = await pools.create(team, NOW);
    expect(second).toMatchObject({ id: "team", version: 1 });
    expect(second.incarnation).not.toBe(first.incarnation);
  });

  test("10 000 allocations are saved, changed and read back, in order", async () => {
    const allocations = Array.from({ length: 10_000 }, (_, i) => ({
      apiKeyId: `key ${String(i)}`,
      weight: 0.01,
    }));
    const pools = createSqlitePoolDirectory(db);
    await pools.create({ ...team, allocations }, NOW);
    const changed = await pools.update("team", { allocations: allocations.slice().reverse() });
    const reopened = await createSqlitePoolDirectory(await place.open()).get("team");
    expect([...(reopened?.allocations.keys() ?? [])]).toEqual([...(changed?.allocations.keys() ?? [])]);
    expect(reopened?.allocations.size).toBe(10_000);
  });

  describe("a damaged row is reported and read as the sternest thing it could have meant", () => {
    const damaged = async (sql: string) => {
      await createSqlitePoolDirectory(db).create(team, NOW);
      await createSqlitePoolDirectory(db).create({ ...team, id: "sound", connectionId: "other" }, NOW);
      db.connection.exec(sql);
      const warnings: Parameters<Logger["warn"]>[0][] = [];
      const pools = createSqlitePoolDirectory(await place.open(), {
        logger: { warn: (entry) => warnings.push(entry) },
      });
      expect(await pools.ofConnection("other")).toMatchObject({ name: "Team", unallocated: "borrow" });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatchObject({
        scope: "quota:pools",
        poolId: "team",
        problem: expect.any(String),
      });
      return (await pools.ofConnection("kimi-demo"))!;
    };
    const change = (table: string, what: string, key = "") =>
      `UPDATE quota_${table} SET ${what} WHERE ${table === "pools" ? "id" : "pool_id"} = 'team' ${key}`;

    test("a policy that is no word of ours counts as hard", async () => {
      const pool = await damaged(change("allocations", "policy = 'brust'", "AND api_key_id = 'alice'"));
      expect(pool.allocations.get("alice")).toMatchObject({ weight: 50, policy: "hard" });
    });

    test("a weight out of range counts as 0", async () => {
      const pool = await damaged(change("allocations", "weight = 9e99", "AND api_key_id = 'alice'"));
      expect(pool.allocations.get("alice")).toMatchObject({ weight: 0, policy: "soft" });
      expect(pool.allocations.get("bob")).toMatchObject({ weight: 30 });
    });

    test.each(["cap_unit = 'bananas'", "cap_grains = NULL", "cap_grains = -1", "cap_window = 'fortnight'"])(
      "a cap with %s stops its key, and no other",
      async (what) => {
        const pool = await damaged(change("allocations", what, "AND api_key_id = 'bob'"));
        const tokens = parseDimensions([{ unit: "tokens", window: "5h", limit: 1000 }]);
        if (!tokens.ok) throw new Error("The plan is well formed.");
        const governed = governPool({
          pool,
          plan: { connectionId: "kimi-demo", provider: "kimi", source: "manual", dimensions: tokens.value },
        });
        const decide = (apiKeyId: string) => {
          const standing = standingOf(governed, apiKeyId);
          if (standing === "not-allocated") throw new Error("It is allocated.");
          const dimensions = governed.dimensions.map((dimension, i) => ({
            dimension,
            used: 0,
            total: 0,
            cost: 1,
            share: standing.shares[i],
            cap: standing.caps[i],
          }));
          return decideFairShare({ policy: standing.policy, dimensions }, NOW).allowed;
        };
        expect([decide("bob"), decide("alice")]).toEqual([false, true]);
      },
    );

    test("an allocation without a key is left out", async () => {
      const pool = await damaged(change("allocations", "api_key_id = ''", "AND api_key_id = 'alice'"));
      expect([...pool.allocations.keys()]).toEqual(["bob"]);
    });

    test("words of the pool", async () => {
      expect(await damaged(change("pools", "unallocated = 'maybe'"))).toMatchObject({ unallocated: "deny" });
    });

    test("a threshold out of range binds from the first request", async () => {
      expect(await damaged(change("pools", "saturation_threshold = 5"))).toMatchObject({
        saturationThreshold: 0,
      });
    });

    test.each(["pray", "{", '{"budget":2}', '{"budget":"all"}'])(
      "what to do when the store fails: %s",
      async (text) => {
        expect(await damaged(change("pools", `when_store_fails = '${text}'`))).toMatchObject({
          whenStoreFails: "deny",
        });
      },
    );
  });

  test("when the tables cannot be read again, the pools last seen stay, and it is said", async () => {
    const warnings: unknown[] = [];
    const ours = createSqlitePoolDirectory(db, { logger: { warn: (entry) => warnings.push(entry) } });
    const created = await ours.create(team, NOW);
    const neighbour = (await place.open()).connection;
    const seen = noticed(db);
    neighbour.exec("ALTER TABLE quota_revisions RENAME TO elsewhere");
    await seen;
    expect(await ours.ofConnection("kimi-demo")).toEqual(created);
    expect(warnings).toMatchObject([{ scope: "quota:pools", err: { code: "SQLITE_ERROR" } }]);
    await expect(ours.list()).rejects.toMatchObject({ name: "StoreError", applied: "no" });
  });
});
