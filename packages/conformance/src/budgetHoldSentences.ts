import type { NanoUsd } from "@quota/core";
import type { BudgetHold, BudgetLedger } from "@quota/engine";
import { expect } from "vitest";
import { asking, budget, counts, hold, tryHold } from "./budgetSteps.js";
import type { Check } from "./check.js";
import { alice, bob, MINUTE, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/** When the lease of a hold at noon ends. */
const LEASE_END = NOON + 10 * MINUTE;

const uncountable: readonly (readonly [field: string, rest: Partial<BudgetHold>])[] = [
  ["estimate", { estimate: 1.5 }],
  ["estimate", { estimate: Number.NaN }],
  ["estimate", { estimate: -1 }],
  ["estimate", { estimate: 2 ** 53 }],
  ["startedAt", { startedAt: NOON + 0.5, leaseEnd: LEASE_END }],
  ["startedAt", { startedAt: Number.NaN, leaseEnd: LEASE_END }],
  ["leaseEnd", { leaseEnd: Number.POSITIVE_INFINITY }],
];

async function answer(
  budgets: BudgetLedger,
  { requestId = "r", cost }: { readonly requestId?: string; readonly cost: NanoUsd | "unpriced" },
  now: number = NOON + MINUTE,
): Promise<void> {
  await budgets.answer({ requestId, subjects: [alice], startedAt: NOON, cost }, now);
}

/** The contract of a budget ledger, by example: a dollar's way from the hold to the total, counted once at any instant. */
export const budgetHoldSentences: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "a request counts with its estimate, then with its cost, then in the total, each time once",
    async run({ ledger, budgets }) {
      const subjects = [alice, team];
      await budgets.set(alice, budget(), NOON);
      await budgets.set(team, budget(), NOON);
      await hold(budgets, "r", { subjects, estimate: 60 });
      for (const each of subjects) expect(await counts(budgets, each)).toEqual([0n, 60n]);
      await budgets.answer({ requestId: "r", subjects, startedAt: NOON, cost: 45 }, NOON);
      for (const each of subjects) expect(await counts(budgets, each)).toEqual([0n, 45n]);
      for (let i = 0; i < 2; i += 1) {
        await ledger.commit([spend("r", { subjects, cost: 45 })], NOON);
        for (const each of subjects) expect(await counts(budgets, each)).toEqual([45n, 0n]);
      }
    },
  },
  {
    name: "an answer that cost more than was held counts whole, even above the budget",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await hold(budgets, "r", { estimate: 10 });
      await answer(budgets, { cost: 150 });
      expect(await tryHold(budgets, "s", { estimate: 1 })).toMatchObject({
        allowed: false,
        standing: { pending: 150n },
      });
      await ledger.commit([spend("r", { cost: 150 })], NOON);
      expect(await tryHold(budgets, "s", { estimate: 1 })).toMatchObject({
        allowed: false,
        standing: { spent: 150n, pending: 0n },
      });
    },
  },
  {
    name: "the first answer of a request counts, and the others do not",
    async run({ budgets }) {
      await budgets.set(alice, budget(), NOON);
      await hold(budgets, "r");
      for (const cost of [30, 70, 0]) await answer(budgets, { cost });
      expect(await counts(budgets, alice)).toEqual([0n, 30n]);
    },
  },
  {
    name: "an answer after the commit of its event changes nothing, nor does a release",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await hold(budgets, "r");
      await ledger.commit([spend("r", { cost: 30 })], NOON);
      expect(await counts(budgets, alice)).toEqual([30n, 0n]);
      await answer(budgets, { cost: 30 });
      await budgets.release("r");
      expect(await counts(budgets, alice)).toEqual([30n, 0n]);
    },
  },
  {
    name: "a request whose event is in the ledger holds nothing again, nor does its answer",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await ledger.commit([spend("r", { cost: 30 })], NOON);
      await hold(budgets, "r");
      expect(await counts(budgets, alice)).toEqual([30n, 0n]);
      await answer(budgets, { cost: 30 });
      expect(await counts(budgets, alice)).toEqual([30n, 0n]);
    },
  },
  {
    name: "a batch of what is known and what is new takes away what the new one held, and a replay nothing more",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await ledger.commit([spend("r", { cost: 30 })], NOON);
      await hold(budgets, "s", { estimate: 20 });
      await ledger.commit([spend("r", { cost: 30 }), spend("s", { cost: 20 })], NOON);
      await ledger.commit([spend("r", { cost: 30 }), spend("s", { cost: 20 })], NOON);
      expect(await counts(budgets, alice)).toEqual([50n, 0n]);
    },
  },
  {
    name: "an event takes away what its request held, whoever the event says has paid and however much",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await budgets.set(bob, budget(), NOON);
      await hold(budgets, "r", { estimate: 60 });
      await ledger.commit([spend("r", { subjects: [bob], cost: "unpriced" })], NOON);
      expect(await counts(budgets, alice)).toEqual([0n, 0n]);
      expect(await counts(budgets, bob)).toEqual([0n, 0n]);
    },
  },
  {
    name: "an event that nothing was held for raises the total all the same",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await hold(budgets, "other");
      await ledger.commit([spend("r", { cost: 30 }), spend("r", { cost: 30 })], NOON);
      expect(await counts(budgets, alice)).toEqual([30n, 10n]);
    },
  },
  {
    name: "a batch that cannot be written leaves what is pending as it was",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await hold(budgets, "r");
      const batch = [spend("r"), spend("s", { cost: Number.NaN })];
      await expect(ledger.commit(batch, NOON)).rejects.toThrow();
      expect(await counts(budgets, alice)).toEqual([0n, 10n]);
    },
  },
  {
    name: "a hold whose amount or moment cannot be counted is refused alone, with the field named",
    async run({ budgets }) {
      await budgets.set(alice, budget(), NOON);
      const refused: readonly (readonly [field: string, asked: Promise<unknown>])[] = [
        ...uncountable.map(([field, rest], i): readonly [string, Promise<unknown>] => [
          field,
          budgets.hold(asking(`bad ${String(i)}`, rest), NOON),
        ]),
        ["now", budgets.hold(asking("bad now"), NOON + 0.5)],
        ["cost", answer(budgets, { requestId: "bad cost", cost: 1.5 })],
        ["now", answer(budgets, { requestId: "bad answer", cost: 1 }, Number.NaN)],
        ["leaseEnd", budgets.renew(["good"], Number.NaN)],
      ];
      const [good, ...others] = await Promise.allSettled([
        budgets.hold(asking("good"), NOON),
        ...refused.map(([, asked]) => asked),
      ]);
      expect(good).toEqual({ status: "fulfilled", value: { status: "allowed", allowed: true } });
      for (const [i, [field]] of refused.entries())
        expect(others[i]).toMatchObject({
          status: "rejected",
          reason: {
            name: "InvalidInputError",
            faults: [{ path: field, message: expect.stringContaining(`${field} must be whole`) as unknown }],
          },
        });
      expect(await counts(budgets, alice)).toEqual([0n, 10n]);
      expect(await counts(budgets, alice, LEASE_END)).toEqual([0n, 0n]);
    },
  },
  {
    name: "a release gives back what was held, once, and nothing of what was answered",
    async run({ budgets }) {
      await budgets.set(alice, budget(), NOON);
      for (const id of ["r1", "r2", "r3"]) await hold(budgets, id);
      await budgets.release("r1");
      await budgets.release("r1");
      await budgets.release("no such request");
      expect(await counts(budgets, alice)).toEqual([0n, 20n]);
      await answer(budgets, { requestId: "r2", cost: 50 });
      await budgets.release("r2");
      expect(await counts(budgets, alice)).toEqual([0n, 60n]);
    },
  },
  {
    name: "a hold counts until its lease ends, and from then on no more",
    async run({ budgets }) {
      await budgets.set(alice, budget(), NOON);
      await hold(budgets, "r", { estimate: 100 });
      expect(await counts(budgets, alice, LEASE_END - 1)).toEqual([0n, 100n]);
      expect(await budgets.hold(asking("s", { startedAt: LEASE_END - 1 }), LEASE_END - 1)).toMatchObject({
        allowed: false,
      });
      expect(await counts(budgets, alice, LEASE_END)).toEqual([0n, 0n]);
      await hold(budgets, "s", { startedAt: LEASE_END, estimate: 100 });
      expect(await counts(budgets, alice, LEASE_END)).toEqual([0n, 100n]);
    },
  },
  {
    name: "50 holds whose leases have ended at once refuse nobody",
    async run({ budgets }) {
      await budgets.set(alice, budget(), NOON);
      for (let i = 0; i < 50; i += 1) await hold(budgets, `r${String(i)}`, { estimate: 2 });
      expect(await tryHold(budgets, "one more", { estimate: 1 })).toMatchObject({ allowed: false });
      expect((await budgets.list(LEASE_END)).map(({ pending }) => pending)).toEqual([0n]);
      await hold(budgets, "all", { startedAt: LEASE_END, estimate: 100 });
      expect(await counts(budgets, alice, LEASE_END)).toEqual([0n, 100n]);
    },
  },
  {
    name: "what was answered does not expire, and stays until its event is committed",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget({ period: "month" }), NOON);
      await hold(budgets, "r");
      await answer(budgets, { cost: 40 });
      const later = NOON + 24 * 60 * MINUTE;
      await hold(budgets, "s", { startedAt: later, estimate: 1 });
      expect(await counts(budgets, alice, later)).toEqual([0n, 41n]);
      await budgets.renew(["r"], later);
      expect(await counts(budgets, alice, later + 1)).toEqual([0n, 41n]);
      await ledger.commit([spend("r", { cost: 40 })], later);
      expect(await counts(budgets, alice, later)).toEqual([40n, 1n]);
    },
  },
  {
    name: "an answer after its lease ended is written anew, whether the row is still there or not",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      for (const id of ["there", "swept"]) await hold(budgets, id);
      await answer(budgets, { requestId: "there", cost: 30 }, LEASE_END);
      // Whoever holds sweeps.
      await hold(budgets, "new", { startedAt: LEASE_END, estimate: 1 });
      await answer(budgets, { requestId: "swept", cost: 40 }, LEASE_END + 1);
      await answer(budgets, { requestId: "never held", cost: 5 }, LEASE_END + 1);
      expect(await counts(budgets, alice, LEASE_END + 1)).toEqual([0n, 76n]);
      await ledger.commit(
        [spend("there", { cost: 30 }), spend("swept", { cost: 40 }), spend("never held", { cost: 5 })],
        NOON,
      );
      expect(await counts(budgets, alice, LEASE_END + 1)).toEqual([75n, 1n]);
    },
  },
  {
    name: "what is renewed goes on holding, and nothing else does",
    async run({ budgets }) {
      await budgets.set(alice, budget(), NOON);
      for (const [i, id] of ["r1", "r2", "r3"].entries())
        await hold(budgets, id, { estimate: [1, 7, 90][i]! });
      await budgets.renew(["r1", "r3", "no such request"], LEASE_END + MINUTE);
      await budgets.renew([], LEASE_END + 2 * MINUTE);
      expect(await counts(budgets, alice, LEASE_END)).toEqual([0n, 91n]);
      await hold(budgets, "sweep", { startedAt: LEASE_END, estimate: 0, leaseEnd: LEASE_END + 1 });
      expect(await counts(budgets, alice, LEASE_END + MINUTE - 1)).toEqual([0n, 91n]);
      expect(await counts(budgets, alice, LEASE_END + MINUTE)).toEqual([0n, 0n]);
    },
  },
];
