import type { SpendSubject } from "@quota/core";
import type { SpendLedger } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { alice, bob, DAY, HOSTILE_IDS, MOST, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

const ALWAYS = { from: 0, to: NOON + 36_500 * DAY };

/** The contract of a spend ledger, by example. */
export const spendLedgerSentences: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "a ledger in which nothing is written knows of nothing",
    async run({ ledger }) {
      expect(await ledger.total(alice)).toBe(0n);
      expect(await ledger.spend({ ...ALWAYS, groupBy: "key" })).toEqual([]);
      expect(await ledger.deadLetters()).toEqual([]);
      expect(await ledger.purge(NOON)).toBe(0);
      expect(await ledger.commit([], NOON)).toEqual({ added: 0, known: 0 });
    },
  },
  {
    name: "an event raises the total of each of its subjects by the whole cost, and nobody else's",
    async run({ ledger }) {
      const events = [spend("r1", { subjects: [team, alice], cost: 7 }), spend("r2", { cost: 30 })];
      expect(await ledger.commit(events, NOON)).toEqual({ added: 2, known: 0 });
      expect(await totals(ledger, [alice, team, bob, { kind: "user", id: "alice" }])).toEqual([
        37n,
        7n,
        0n,
        0n,
      ]);
    },
  },
  {
    name: "what was committed before adds nothing, alone or among what is new",
    async run({ ledger, another }) {
      const neighbour = (await another?.())?.ledger ?? ledger;
      await ledger.commit([spend("r1"), spend("r2")], NOON);
      expect(await neighbour.commit([spend("r1"), spend("r2")], NOON)).toEqual({ added: 0, known: 2 });
      expect(await neighbour.commit([spend("r2"), spend("r3")], NOON + 1)).toEqual({ added: 1, known: 1 });
      expect(await ledger.total(alice)).toBe(300n);
      expect(await ledger.spend({ ...ALWAYS, groupBy: "key" })).toMatchObject([{ cost: 300n, requests: 3 }]);
    },
  },
  {
    name: "of two events with one id the first counts, whatever the other says",
    async run({ ledger }) {
      await ledger.commit([spend("r")], NOON);
      expect(await ledger.commit([spend("r", { subjects: [bob], cost: 999 })], NOON)).toEqual({
        added: 0,
        known: 1,
      });
      expect(await totals(ledger, [alice, bob])).toEqual([100n, 0n]);
    },
  },
  {
    name: "an id that comes twice in one batch counts once, as it comes first",
    async run({ ledger }) {
      const batch = [
        spend("r", { cost: 1 }),
        spend("s", { cost: 10 }),
        spend("r", { subjects: [bob], cost: 100 }),
      ];
      expect(await ledger.commit(batch, NOON)).toEqual({ added: 2, known: 1 });
      expect(await totals(ledger, [alice, bob])).toEqual([11n, 0n]);
      expect(await ledger.spend({ ...ALWAYS, groupBy: "key" })).toMatchObject([
        { group: "alice", cost: 11n, requests: 2 },
      ]);
    },
  },
  {
    name: "a batch that cannot be written is not written at all, and can be once it is mended",
    async run({ ledger }) {
      for (const cost of [Number.NaN, 0.5, Infinity]) {
        const batch = [spend("r1"), spend("r2", { cost }), spend("r3")];
        await expect(ledger.commit(batch, NOON)).rejects.toThrow();
      }
      expect(await ledger.total(alice)).toBe(0n);
      expect(await ledger.spend({ ...ALWAYS, groupBy: "key" })).toEqual([]);
      expect(await ledger.commit([spend("r1"), spend("r2"), spend("r3")], NOON)).toEqual({
        added: 3,
        known: 0,
      });
      expect(await ledger.total(alice)).toBe(300n);
    },
  },
  {
    name: "amounts are exact, in one event and far past 2^53",
    async run({ ledger }) {
      const many = Array.from({ length: 900 }, (_, i) => spend(`r${String(i)}`, { cost: MOST - (i % 2) }));
      const sum = 900n * BigInt(MOST) - 450n;
      await ledger.commit(many.slice(0, 500), NOON);
      await ledger.commit(many.slice(500), NOON);
      expect(await ledger.total(alice)).toBe(sum);
      expect(await ledger.spend({ ...ALWAYS, groupBy: "day" })).toMatchObject([{ cost: sum, requests: 900 }]);
      await ledger.purge(NOON + 1);
      expect(await ledger.total(alice)).toBe(sum);
      expect(await ledger.spend({ ...ALWAYS, groupBy: "day" })).toMatchObject([{ cost: sum, requests: 900 }]);
    },
  },
  {
    name: "requests, subjects and models are apart, whatever their ids are made of",
    async run({ ledger }) {
      const payer = (id: string): SpendSubject => ({ kind: "user", id });
      const events = HOSTILE_IDS.map((id, i) =>
        spend(id, { subjects: [alice, payer(id)], cost: i + 1, model: id }),
      );
      expect(await ledger.commit(events, NOON)).toEqual({ added: events.length, known: 0 });
      expect(await ledger.commit(events, NOON)).toEqual({ added: 0, known: events.length });
      expect(await totals(ledger, HOSTILE_IDS.map(payer))).toEqual(HOSTILE_IDS.map((_, i) => BigInt(i + 1)));
      const expected = HOSTILE_IDS.map((group, i) => ({ group, cost: BigInt(i + 1), requests: 1 })).reverse();
      for (const groupBy of ["user", "model"] as const)
        expect(await ledger.spend({ ...ALWAYS, groupBy })).toMatchObject(expected);
    },
  },
];

async function totals(ledger: SpendLedger, subjects: readonly SpendSubject[]): Promise<readonly bigint[]> {
  return Promise.all(subjects.map(async (subject) => ledger.total(subject)));
}
