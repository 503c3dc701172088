import type { PoolSpec } from "@quota/core";
import { InvalidInputError } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { expectConflict } from "./expectConflict.js";
import type { PoolDirectoryUnderTest } from "./poolDirectoryUnderTest.js";
import { team } from "./sampleTeam.js";
import { NOW } from "./steps.js";

/** What may happen in the life of a pool, by example. */
export const poolChangeChecks: readonly Check<PoolDirectoryUnderTest>[] = [
  {
    name: "an update replaces what it names, keeps the rest, and raises the version",
    async run({ directory }) {
      const created = await directory.create({ ...team, saturationThreshold: 0.8 }, NOW);
      const renamed = await directory.update(created.id, { name: "Renamed" });
      expect(renamed).toEqual({ ...created, name: "Renamed", version: 2 });
      expect(await directory.get(created.id)).toEqual(renamed);
      expect(await directory.ofConnection("kimi-demo")).toEqual(renamed);
      expect(await directory.list()).toEqual([renamed]);

      const reshared = await directory.update(created.id, {
        allocations: [{ apiKeyId: "carol", weight: 100 }],
        unallocated: "allow",
        whenStoreFails: "deny",
      });
      expect(reshared).toMatchObject({
        name: "Renamed",
        unallocated: "allow",
        whenStoreFails: "deny",
        version: 3,
      });
      expect([...(reshared?.allocations.keys() ?? [])]).toEqual(["carol"]);
      expect(await directory.get(created.id)).toEqual(reshared);
    },
  },
  {
    name: "whatever is to happen when the store fails is kept as it was written",
    async run({ directory }) {
      const { id } = await directory.create({ ...team, whenStoreFails: { budget: 0.01 } }, NOW);
      expect((await directory.get(id))?.whenStoreFails).toEqual({ budget: 0.01 });
      for (const whenStoreFails of ["allow", "deny", "last-known", { budget: 1 }] as const) {
        await directory.update(id, { whenStoreFails });
        expect((await directory.get(id))?.whenStoreFails).toEqual(whenStoreFails);
      }
    },
  },
  {
    name: "null takes an optional member away",
    async run({ directory }) {
      const spec: PoolSpec = { ...team, saturationThreshold: 0, whenStoreFails: "deny" };
      const { id } = await directory.create(spec, NOW);
      const updated = await directory.update(id, { saturationThreshold: null, whenStoreFails: null });
      expect(updated?.saturationThreshold).toBe(undefined);
      expect(updated?.whenStoreFails).toBe(undefined);
      expect(await directory.get(id)).toEqual(updated);
    },
  },
  {
    name: "a faulty update names its faults and changes nothing",
    async run({ directory }) {
      const created = await directory.create(team, NOW);
      const change = {
        name: "Renamed",
        saturationThreshold: 2,
        allocations: [{ apiKeyId: "", weight: 101 }],
      };
      const error: unknown = await directory.update(created.id, change).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as InvalidInputError).faults.map(({ path }) => path).sort()).toEqual([
        "allocations[0].apiKeyId",
        "allocations[0].weight",
        "saturationThreshold",
      ]);
      expect(await directory.get(created.id)).toEqual(created);
    },
  },
  {
    name: "an update based on an old version is stale",
    async run({ directory }) {
      const created = await directory.create(team, NOW);
      const updated = await directory.update(created.id, { name: "One" }, { ifVersion: 1 });
      expect(updated?.version).toBe(2);
      await expectConflict(directory.update(created.id, { name: "Two" }, { ifVersion: 1 }), "stale", updated);
      expect(await directory.get(created.id)).toEqual(updated);
    },
  },
  {
    name: "of ten who change the same version at once, one does",
    async run({ directory }) {
      const { id } = await directory.create(team, NOW);
      const answers = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) =>
          directory.update(id, { name: `Name ${String(i)}` }, { ifVersion: 1 }),
        ),
      );
      const done = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
      expect(done).toHaveLength(1);
      expect(await directory.get(id)).toEqual(done[0]);
    },
  },
  {
    name: "a pool that is deleted and made again, under the same id, is another incarnation",
    async run({ directory }) {
      const first = await directory.create({ ...team, id: "p" }, NOW);
      await directory.update("p", { name: "Renamed" });
      expect(await directory.delete("p")).toBe(true);
      expect(await directory.delete("p")).toBe(false);
      expect(await directory.get("p")).toBe(undefined);
      expect(await directory.ofConnection("kimi-demo")).toBe(undefined);
      expect(await directory.list()).toEqual([]);

      const second = await directory.create({ ...team, id: "p" }, NOW + 1);
      expect(second).toMatchObject({ id: "p", name: "Team", version: 1, createdAt: NOW + 1 });
      expect(second.incarnation).not.toBe(first.incarnation);
      expect(await directory.list()).toEqual([second]);
    },
  },
  {
    name: "a change keeps the incarnation: what was counted still counts",
    async run({ directory }) {
      const { id, incarnation } = await directory.create(team, NOW);
      expect((await directory.update(id, { allocations: [] }))?.incarnation).toBe(incarnation);
    },
  },
];
