import type { SpendSubject } from "@quota/core";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { alice, bob, DAY, MOST, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

const ALWAYS = { from: 0, to: NOON + 36_500 * DAY };
const TOKENS = { input: 5, cachedInput: 3, cacheWrite: 2, output: 7, reasoning: 1 };

/** The contract of a spend ledger, by example: what was spent, in groups. Whoever asks does so from one whole quarter of an hour to another. */
export const spendGroupSentences: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "groups have what their events add up to, the largest first",
    async run({ ledger }) {
      await ledger.commit(
        [
          spend("r1", { model: "k2", cost: 5, tokens: TOKENS }),
          spend("r2", { model: "k2", cost: "unpriced", tokens: TOKENS }),
          spend("r3", { cost: 7, tokens: { ...TOKENS, input: MOST } }),
          spend("r4", { model: "k3", cost: 100, outcome: "failed" }),
        ],
        NOON,
      );
      const none = { input: 0, cachedInput: 0, output: 0 };
      expect(await ledger.spend({ ...ALWAYS, groupBy: "model" })).toEqual([
        { group: "k3", cost: 100n, requests: 1, unpriced: 0, tokens: none },
        {
          group: undefined,
          cost: 7n,
          requests: 1,
          unpriced: 0,
          tokens: { input: MOST, cachedInput: 3, output: 7 },
        },
        {
          group: "k2",
          cost: 5n,
          requests: 2,
          unpriced: 1,
          tokens: { input: 10, cachedInput: 6, output: 14 },
        },
      ]);
    },
  },
  {
    name: "spend is grouped by every kind of subject, and by none where there is none",
    async run({ ledger }) {
      const kinds = ["key", "team", "user", "organisation", "project"] as const;
      const subjects = kinds.map((kind) => ({ kind, id: `my ${kind}` }));
      await ledger.commit([spend("all", { subjects, cost: 5 })], NOON);
      for (const kind of kinds)
        await ledger.commit(
          [spend(`but ${kind}`, { subjects: subjects.filter((each) => each.kind !== kind) })],
          NOON,
        );
      for (const groupBy of kinds)
        expect(await ledger.spend({ ...ALWAYS, groupBy })).toMatchObject([
          { group: `my ${groupBy}`, cost: 405n, requests: 5 },
          { group: undefined, cost: 100n, requests: 1 },
        ]);
    },
  },
  {
    name: "days are those of UTC, in the order of time, by when the request ended",
    async run({ ledger }) {
      const midnight = Date.UTC(2026, 1, 11);
      await ledger.commit(
        [
          spend("r3", { endedAt: midnight + DAY, cost: 1 }),
          spend("r1", { endedAt: midnight - 1, cost: 10 }),
          spend("r2", { startedAt: midnight - 1, endedAt: midnight, cost: 1000 }),
        ],
        NOON,
      );
      const days = await ledger.spend({ ...ALWAYS, groupBy: "day" });
      expect(days.map(({ group, cost }) => [group, cost])).toEqual([
        ["2026-02-10", 10n],
        ["2026-02-11", 1000n],
        ["2026-02-12", 1n],
      ]);
    },
  },
  {
    name: "what ended at the beginning counts, and what ended at the end does not",
    async run({ ledger }) {
      const ends = [NOON - 1, NOON, NOON + DAY - 1, NOON + DAY];
      await ledger.commit(
        ends.map((endedAt, i) => spend(`r${String(i)}`, { endedAt, cost: 10 ** i })),
        NOON,
      );
      const between = async (from: number, to: number): Promise<unknown> =>
        (await ledger.spend({ groupBy: "key", from, to })).map(({ cost }) => cost);
      for (const purged of [0, 4]) {
        if (purged > 0) expect(await ledger.purge(NOON + 2 * DAY)).toBe(purged);
        expect(await between(NOON, NOON + DAY)).toEqual([110n]);
        expect(await between(NOON - DAY, NOON)).toEqual([1n]);
        expect(await between(NOON + DAY, NOON + 2 * DAY)).toEqual([1000n]);
        expect(await between(NOON + 2 * DAY, NOON + 3 * DAY)).toEqual([]);
      }
    },
  },
  {
    name: "one subject's spend is its own, in whatever groups",
    async run({ ledger }) {
      await ledger.commit(
        [
          spend("r1", { subjects: [alice, team], model: "k2", cost: 1 }),
          spend("r2", { subjects: [bob, team], model: "k2", cost: 10 }),
          spend("r3", { subjects: [alice], model: "k3", cost: 100 }),
        ],
        NOON,
      );
      for (const purged of [false, true]) {
        if (purged) await ledger.purge(NOON + 1);
        const pairs = async (of: SpendSubject, groupBy: "key" | "team" | "model"): Promise<unknown> =>
          (await ledger.spend({ ...ALWAYS, groupBy, of })).map(({ group, cost }) => [group, cost]);
        expect(await pairs(team, "key")).toEqual([
          ["bob", 10n],
          ["alice", 1n],
        ]);
        expect(await pairs(alice, "model")).toEqual([
          ["k3", 100n],
          ["k2", 1n],
        ]);
        expect(await pairs(alice, "team")).toEqual([
          [undefined, 100n],
          ["red", 1n],
        ]);
        expect(await pairs({ kind: "user", id: "alice" }, "key")).toEqual([]);
      }
    },
  },
  {
    name: "purging drops the details of what ended before, and keeps totals, groups and ids",
    async run({ ledger }) {
      await ledger.commit(
        [spend("old", { endedAt: NOON - 1, model: "k2", tokens: TOKENS }), spend("new", { endedAt: NOON })],
        NOON,
      );
      const groups = async (): Promise<unknown> =>
        Promise.all(
          (["key", "model", "day"] as const).map(async (groupBy) => ledger.spend({ ...ALWAYS, groupBy })),
        );
      const before = await groups();
      expect(await ledger.purge(NOON)).toBe(1);
      expect(await ledger.purge(NOON)).toBe(0);
      expect(await groups()).toEqual(before);
      expect(await ledger.total(alice)).toBe(200n);
      expect(await ledger.commit([spend("old", { subjects: [bob] }), spend("new")], NOON)).toEqual({
        added: 0,
        known: 2,
      });
      expect(await ledger.total(alice)).toBe(200n);
      expect(await ledger.total(bob)).toBe(0n);
      expect(await groups()).toEqual(before);
    },
  },
];
