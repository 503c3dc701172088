import { ratePathFrom } from "@quota/core";
import { expect, test } from "vitest";
import { rateNodeId } from "../server/rateNodeId.js";
import { describeEachDatabase } from "./describeEachDatabase.js";
import type { OpenedTables } from "./openTables.js";

const within = (open: () => Promise<OpenedTables>) => async () => {
  const opened = await open();
  const path = (keyId: string) => opened.forest.askedBy(keyId)?.path?.map(({ id }) => id) ?? [];
  return { ...opened, path };
};

describeEachDatabase("where a key stands", (open) => {
  const fresh = within(open);

  test("is its team, and with it the team's organisation, wherever the team goes", async () => {
    const { keys, teams, organisations } = await fresh();
    await organisations.create({ id: "acme" }, 1);
    await organisations.create({ id: "umbrella" }, 2);
    await teams.create({ id: "red", orgId: "acme" }, 3);
    await keys.create({ id: "dora", teamId: "red" }, 4);
    expect(keys.get("dora")).toMatchObject({ teamId: "red", orgId: "acme", rpm: null, version: 1 });
    await teams.update("red", { orgId: "umbrella" });
    expect(keys.get("dora")).toMatchObject({ teamId: "red", orgId: "umbrella" });
    await teams.update("red", { orgId: null });
    expect(keys.get("dora")).toMatchObject({ teamId: "red", orgId: null });
  });

  test("cannot contradict the team's organisation, in one change or in two", async () => {
    const { keys, teams, organisations } = await fresh();
    await organisations.create({ id: "acme" }, 1);
    await organisations.create({ id: "umbrella" }, 2);
    await teams.create({ id: "red", orgId: "acme" }, 3);
    await teams.create({ id: "blue" }, 4);
    const refused = expect.objectContaining({ faults: [expect.objectContaining({ path: "orgId" })] });
    await expect(keys.create({ id: "dora", teamId: "red", orgId: "umbrella" }, 5)).rejects.toEqual(refused);
    await expect(keys.create({ id: "dora", teamId: "red", orgId: null }, 5)).rejects.toEqual(refused);
    await expect(keys.create({ id: "dora", teamId: "blue", orgId: "acme" }, 5)).rejects.toEqual(refused);
    expect(keys.list()).toEqual([]);
    await keys.create({ id: "dora", teamId: "red", orgId: "acme" }, 5);
    await expect(keys.update("dora", { orgId: "umbrella" })).rejects.toEqual(refused);
    // Its own organisation gives way to the team's.
    await keys.create({ id: "emil", orgId: "umbrella" }, 6);
    expect(await keys.update("emil", { teamId: "red" })).toMatchObject({ teamId: "red", orgId: "acme" });
  });

  test("stays the organisation when it leaves the team, so that no limit is lost by the way", async () => {
    const { keys, teams, organisations, path } = await fresh();
    await organisations.create({ id: "acme", rpm: 10 }, 1);
    await teams.create({ id: "red", orgId: "acme" }, 2);
    await keys.create({ id: "dora", teamId: "red" }, 3);
    expect(path("dora")).toEqual(["key:dora", "team:red", "organisation:acme"]);
    expect(await keys.update("dora", { teamId: null })).toMatchObject({ teamId: null, orgId: "acme" });
    expect(path("dora")).toEqual(["key:dora", "organisation:acme"]);
    expect(await keys.update("dora", { orgId: null })).toMatchObject({ orgId: null });
    expect(path("dora")).toEqual([]);
  });

  test("must be there: whoever is unknown is named, and nothing is written", async () => {
    const { keys, teams } = await fresh();
    await expect(keys.create({ id: "dora", teamId: "red", orgId: "acme" }, 1)).rejects.toMatchObject({
      faults: [
        { path: "teamId", message: expect.stringContaining('the team "red"') },
        { path: "orgId", message: expect.stringContaining('the organisation "acme"') },
      ],
    });
    await expect(teams.create({ id: "red", orgId: "acme" }, 1)).rejects.toMatchObject({
      faults: [{ path: "orgId" }],
    });
    expect([keys.list(), teams.list()]).toEqual([[], []]);
  });
});

describeEachDatabase("the rate plan", (open) => {
  const fresh = within(open);

  test("has three nodes of one name, and ids of any kind, however long", async () => {
    const { forest, keys, teams, organisations, path } = await fresh();
    const long = "x".repeat(256);
    for (const [i, id] of ["same", "__proto__", "a:b", "key:same", "{x}", long].entries()) {
      await organisations.create({ id, rpm: 5 }, i);
      await teams.create({ id, orgId: id }, i);
      await keys.create({ id, teamId: id }, i);
      expect(path(id)).toHaveLength(3);
    }
    const { plan, idOf } = forest.current();
    expect(plan.nodes.size).toBe(18);
    expect(idOf.get(rateNodeId("team", long))).toBe(long);
    expect(path("same")).toEqual(["key:same", "team:same", "organisation:same"]);
    expect(new Set(["organisation", "team", "key"].map((kind) => rateNodeId(kind as "key", long))).size).toBe(
      3,
    );
  });

  test("has nothing to be asked by a key without any limit on its path, and the whole path by one with", async () => {
    const { keys, teams, organisations, path } = await fresh();
    await organisations.create({ id: "acme" }, 1);
    await teams.create({ id: "red", orgId: "acme" }, 2);
    await keys.create({ id: "dora", teamId: "red" }, 3);
    await keys.create({ id: "emil", teamId: "red", tpm: 0 }, 4);
    await keys.create({ id: "alone" }, 5);
    expect([path("dora"), path("alone"), path("nobody")]).toEqual([[], [], []]);
    expect(path("emil")).toEqual(["key:emil", "team:red", "organisation:acme"]);
    await organisations.update("acme", { rpm: 3 });
    expect(path("dora")).toEqual(["key:dora", "team:red", "organisation:acme"]);
    await organisations.update("acme", { rpm: null });
    expect(path("dora")).toEqual([]);
  });

  test("has a revision that every write raises, and that nothing else does", async () => {
    const { forest, keys, teams, organisations } = await fresh();
    const revisions = [forest.current().revision];
    const after = async (write: Promise<unknown>) => {
      await write.catch((error: unknown) => error);
      revisions.push(forest.current().revision);
    };
    await after(organisations.create({ id: "acme" }, 1));
    await after(teams.create({ id: "red" }, 1));
    await after(keys.create({ id: "dora", rpm: 1 }, 1));
    await after(keys.update("dora", { rpm: 2 }));
    await after(teams.update("red", { orgId: "acme" }));
    await after(organisations.update("acme", { tpm: 7 }));
    await after(keys.delete("dora"));
    await after(teams.delete("red"));
    await after(organisations.delete("acme"));
    expect(revisions).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await after(keys.create({ id: "plain" }, 2));
    await after(keys.rotate("plain"));
    await after(keys.delete("plain"));
    await after(teams.create({ id: "red", orgId: "nobody" }, 2));
    await after(organisations.update("acme", {}));
    expect(new Set(revisions.slice(9))).toEqual(new Set([9]));
  });

  test("is seen by a neighbour soon by itself, and at once when it looks", async () => {
    const ours = await fresh();
    const { forest: theirs } = await ours.another();
    await ours.keys.create({ id: "dora", rpm: 2 }, 1);
    expect((await theirs.newest()).plan.nodes.get("key:dora")?.rpm?.limit).toBe(2);
    await ours.keys.update("dora", { rpm: 3 });
    while (theirs.current().revision < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(theirs.askedBy("dora")?.path?.[0]?.rpm?.limit).toBe(3);
  });

  test("takes a revision from elsewhere, and never an older one", async () => {
    const { forest, organisations } = await fresh();
    await forest.adopt(40);
    expect(forest.current().revision).toBe(40);
    await organisations.create({ id: "acme" }, 1);
    await forest.adopt(7);
    expect(forest.current().revision).toBe(41);
    await forest.adopt(50);
    expect(forest.current().revision).toBe(50);
  });

  test("is the whole forest, with every limit in it", async () => {
    const { forest, keys, teams, organisations } = await fresh();
    await organisations.create({ id: "acme", rpm: 10, tpm: 1_000 }, 1);
    await teams.create({ id: "red", orgId: "acme", rpm: 8 }, 2);
    await keys.create({ id: "dora", teamId: "red", rpm: 6 }, 3);
    await keys.create({ id: "emil", orgId: "acme", rpm: 4 }, 4);
    const { plan, warnings } = forest.current();
    expect(ratePathFrom(plan, "key:emil").map(({ id }) => id)).toEqual(["key:emil", "organisation:acme"]);
    expect(plan.nodes.get("organisation:acme")?.rpm).toMatchObject({ limit: 10, limitsBelow: 12 });
    expect(warnings.map(({ nodeId, field }) => [nodeId, field])).toEqual([["organisation:acme", "rpm"]]);
  });
});
