import type { PoolSpec } from "@quota/core";
import { InvalidInputError, PoolConflictError } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { eventually } from "./eventually.js";
import { expectConflict } from "./expectConflict.js";
import { HOSTILE_TEXTS } from "./hostileTexts.js";
import { poolChangeChecks } from "./poolChangeChecks.js";
import type { PoolDirectoryUnderTest } from "./poolDirectoryUnderTest.js";
import { alice, team } from "./sampleTeam.js";
import { NOW } from "./steps.js";

/** The contract of a pool directory, by example. */
export const poolDirectoryChecks: readonly Check<PoolDirectoryUnderTest>[] = [
  {
    name: "a directory starts without pools",
    async run({ directory }) {
      expect(await directory.list()).toEqual([]);
      expect(await directory.get("nobody")).toBe(undefined);
      expect(await directory.ofConnection("nobody")).toBe(undefined);
      expect(await directory.update("nobody", { name: "x" })).toBe(undefined);
      expect(await directory.delete("nobody")).toBe(false);
    },
  },
  {
    name: "what is created is what is read, parsed",
    async run({ directory }) {
      const spec: PoolSpec = {
        ...team,
        unallocated: "deny",
        saturationThreshold: 0.8,
        whenStoreFails: "deny",
      };
      const created = await directory.create(spec, NOW);
      expect(created).toMatchObject({
        connectionId: "kimi-demo",
        name: "Team",
        unallocated: "deny",
        saturationThreshold: 0.8,
        whenStoreFails: "deny",
        version: 1,
        createdAt: NOW,
      });
      expect([...created.allocations]).toEqual([
        ["alice", { apiKeyId: "alice", weight: 33.333333, policy: "soft", cap: undefined }],
        [
          "bob",
          {
            apiKeyId: "bob",
            weight: 50,
            policy: "burst",
            cap: { unit: "usd", window: "weekly", value: 700_000_000 },
          },
        ],
      ]);
      expect(await directory.get(created.id)).toEqual(created);
      expect(await directory.ofConnection("kimi-demo")).toEqual(created);
      expect(await directory.list()).toEqual([created]);
    },
  },
  {
    name: "what is left out of a pool takes its default",
    async run({ directory }) {
      const created = await directory.create(team, NOW);
      expect(created.unallocated).toBe("borrow");
      expect(created.saturationThreshold).toBe(undefined);
      expect(created.whenStoreFails).toBe(undefined);
    },
  },
  {
    name: "an id that is asked for is given; otherwise every pool gets one of its own",
    async run({ directory }) {
      expect((await directory.create({ ...team, id: "imported" }, NOW)).id).toBe("imported");
      const others = [
        await directory.create({ ...team, connectionId: "two" }, NOW),
        await directory.create({ ...team, connectionId: "three" }, NOW),
      ];
      expect(new Set(["imported", ...others.map(({ id }) => id)]).size).toBe(3);
      expect(others.every(({ id }) => id !== "")).toBe(true);
    },
  },
  {
    name: "pools are listed oldest first",
    async run({ directory }) {
      for (const [connectionId, at] of [
        ["second", 2],
        ["first", 1],
        ["third", 3],
      ] as const)
        await directory.create({ ...team, connectionId }, NOW + at);
      expect((await directory.list()).map(({ connectionId }) => connectionId)).toEqual([
        "first",
        "second",
        "third",
      ]);
    },
  },
  {
    name: "every fault of a new pool is named, and nothing is written",
    async run({ directory }) {
      const faulty = {
        connectionId: "",
        name: "Team",
        id: "",
        allocations: [alice, alice, { apiKeyId: "carol", weight: -1 }],
      };
      const error: unknown = await directory.create(faulty, NOW).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as InvalidInputError).faults.map(({ path }) => path).sort()).toEqual([
        "allocations[1].apiKeyId",
        "allocations[2].weight",
        "connectionId",
        "id",
      ]);
      expect(await directory.list()).toEqual([]);
    },
  },
  {
    name: "a connection has at most one pool",
    async run({ directory }) {
      const first = await directory.create(team, NOW);
      await expectConflict(directory.create({ ...team, name: "Other" }, NOW), "connection-taken", first);
      expect(await directory.list()).toEqual([first]);
    },
  },
  {
    name: "an id names at most one pool",
    async run({ directory }) {
      const first = await directory.create({ ...team, id: "p" }, NOW);
      await expectConflict(
        directory.create({ ...team, id: "p", connectionId: "other" }, NOW),
        "id-taken",
        first,
      );
      expect(await directory.list()).toEqual([first]);
      expect(await directory.ofConnection("other")).toBe(undefined);
    },
  },
  {
    name: "of ten who create a pool for one connection at once, one does",
    async run({ directory }) {
      const answers = await Promise.allSettled(Array.from({ length: 10 }, () => directory.create(team, NOW)));
      expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const answer of answers)
        if (answer.status === "rejected") expect(answer.reason).toBeInstanceOf(PoolConflictError);
      expect(await directory.list()).toHaveLength(1);
    },
  },
  ...poolChangeChecks,
  {
    name: "ids, names and keys may be any text",
    async run({ directory }) {
      const texts = HOSTILE_TEXTS.filter((text) => text.length <= 256);
      const allocations = texts.map((apiKeyId) => ({ apiKeyId, weight: 1 }));
      for (const text of texts)
        await directory.create({ id: text, connectionId: text, name: text, allocations }, NOW);
      for (const text of texts) {
        const pool = await directory.get(text);
        expect(pool).toMatchObject({ id: text, connectionId: text, name: text });
        expect([...(pool?.allocations.keys() ?? [])]).toEqual(texts);
        expect(await directory.ofConnection(text)).toEqual(pool);
      }
      expect(new Set((await directory.list()).map(({ id }) => id))).toEqual(new Set(texts));
    },
  },
  {
    name: "a change made over one handle reaches the other",
    async run({ directory, another }) {
      const neighbour = another ? await another() : directory;
      expect(await neighbour.ofConnection("kimi-demo")).toBe(undefined);
      const { id } = await directory.create(team, NOW);
      const seen = async (): Promise<string | undefined> => (await neighbour.ofConnection("kimi-demo"))?.name;
      await eventually(async () => expect(await seen()).toBe("Team"));
      await directory.update(id, { name: "Renamed" });
      await eventually(async () => expect(await seen()).toBe("Renamed"));
      await directory.delete(id);
      await eventually(async () => expect(await seen()).toBe(undefined));
    },
  },
];
