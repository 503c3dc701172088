import type { SpendSubject } from "@quota/core";
import { expect } from "vitest";
import { asking, budget, counts, hold, tryHold } from "./budgetSteps.js";
import type { Check } from "./check.js";
import { eventually } from "./eventually.js";
import { alice, bob, DAY, HOSTILE_IDS, MINUTE, MOST, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

const TODAY = { opens: NOON - DAY / 2, ends: NOON + DAY / 2 };

/** The contract of a budget ledger, by example: budgets, and who they refuse. */
export const budgetSentences: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "who has no budget is not asked about, and may spend",
    async run({ budgets }) {
      expect(await budgets.budgeted([alice, team])).toEqual([]);
      expect(await budgets.list(NOON)).toEqual([]);
      expect(await budgets.standing(alice, NOON)).toBeUndefined();
      await hold(budgets, "r", { estimate: MOST });
      await budgets.release("r");
      await budgets.set(alice, undefined, NOON);
      expect(await budgets.list(NOON)).toEqual([]);
    },
  },
  {
    name: "a budget that is set is the one that is read, member by member",
    async run({ budgets }) {
      const mine = budget({ limit: MOST, period: "week", timeZone: "Asia/Tokyo", whenUnpriced: "refuse" });
      const once = budget({ limit: 0, period: "once", since: NOON - 7 });
      await budgets.set(alice, mine, NOON);
      await budgets.set(team, once, NOON);
      expect(await budgets.budgeted([bob, team, alice])).toEqual([team, alice]);
      const [ofAlice, ofTeam] = [await budgets.standing(alice, NOON), await budgets.standing(team, NOON)];
      expect(ofAlice).toMatchObject({ subject: alice, spent: 0n, pending: 0n });
      expect(ofAlice?.budget).toMatchObject({
        limit: MOST,
        period: "week",
        timeZone: "Asia/Tokyo",
        whenUnpriced: "refuse",
      });
      expect(ofTeam).toMatchObject({ subject: team, span: { opens: NOON - 7, ends: "never" } });
      expect(ofTeam?.budget).toMatchObject({
        limit: 0,
        period: "once",
        since: NOON - 7,
        whenUnpriced: "allow",
      });
      const listed = await budgets.list(NOON);
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([ofAlice, ofTeam]));
    },
  },
  {
    name: "setting again replaces a budget, setting none takes it away, and what was spent is not forgotten",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await budgets.set(bob, budget(), NOON);
      await hold(budgets, "r");
      await ledger.commit([spend("s", { cost: 7 })], NOON);
      await budgets.set(alice, budget({ limit: 5 }), NOON);
      expect(await budgets.standing(alice, NOON)).toMatchObject({
        budget: { limit: 5 },
        span: TODAY,
        spent: 7n,
        pending: 10n,
      });
      await budgets.set(alice, undefined, NOON);
      expect(await budgets.standing(alice, NOON)).toBeUndefined();
      expect((await budgets.list(NOON)).map(({ subject }) => subject)).toEqual([bob]);
      await hold(budgets, "t", { estimate: 50 });
      await budgets.set(alice, budget(), NOON);
      expect(await counts(budgets, alice)).toEqual([7n, 60n]);
    },
  },
  {
    name: "a budget is passed up to its limit and not beyond, and a refusal says why and holds nothing",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      await ledger.commit([spend("before", { cost: 30 })], NOON);
      await hold(budgets, "r1", { estimate: 60 });
      const refused = await tryHold(budgets, "r2", { estimate: 11 });
      expect(refused).toMatchObject({
        status: "refused",
        allowed: false,
        reason: "budget-exceeded",
        estimate: 11,
        retryAt: TODAY.ends,
        standing: { subject: alice, budget: { limit: 100 }, span: TODAY, spent: 30n, pending: 60n },
      });
      expect(await counts(budgets, alice)).toEqual([30n, 60n]);
      await hold(budgets, "r3", { estimate: 10 });
      await hold(budgets, "free", { estimate: 0 });
      expect(await tryHold(budgets, "r4", { estimate: 1 })).toMatchObject({ reason: "budget-exceeded" });
      expect(await counts(budgets, alice)).toEqual([30n, 70n]);
    },
  },
  {
    name: "what time does not help has no moment to come back at",
    async run({ budgets }) {
      await budgets.set(alice, budget({ limit: 5 }), NOON);
      await budgets.set(bob, budget({ limit: 5, period: "once" }), NOON);
      const larger = await tryHold(budgets, "r1", { estimate: 6 });
      expect(larger).toMatchObject({ reason: "budget-exceeded" });
      expect(larger).not.toHaveProperty("retryAt", expect.anything());
      await hold(budgets, "r2", { subjects: [bob], estimate: 5 });
      const never = await tryHold(budgets, "r3", { subjects: [bob], estimate: 1 });
      expect(never).toMatchObject({ reason: "budget-exceeded", standing: { span: { ends: "never" } } });
      expect(never).not.toHaveProperty("retryAt", expect.anything());
    },
  },
  {
    name: "a budget of 0 lets pass what costs nothing",
    async run({ budgets }) {
      await budgets.set(alice, budget({ limit: 0 }), NOON);
      await hold(budgets, "free", { estimate: 0 });
      expect(await tryHold(budgets, "r", { estimate: 1 })).toMatchObject({ reason: "budget-exceeded" });
    },
  },
  {
    name: "every budget of a request is asked, the first that refuses answers, and then none holds",
    async run({ budgets }) {
      const organisation: SpendSubject = { kind: "organisation", id: "o" };
      const subjects = [organisation, team, alice];
      await budgets.set(alice, budget({ limit: 50 }), NOON);
      await budgets.set(team, budget({ limit: 20 }), NOON);
      await budgets.set(organisation, budget({ limit: 10 }), NOON);
      expect(await tryHold(budgets, "r1", { subjects, estimate: 15 })).toMatchObject({
        standing: { subject: organisation },
      });
      expect(await tryHold(budgets, "r2", { subjects, estimate: 25 })).toMatchObject({
        standing: { subject: team },
      });
      expect(await tryHold(budgets, "r3", { subjects, estimate: 51 })).toMatchObject({
        standing: { subject: alice },
      });
      for (const each of subjects) expect(await counts(budgets, each)).toEqual([0n, 0n]);
      await hold(budgets, "r4", { subjects, estimate: 10 });
      for (const each of subjects) expect(await counts(budgets, each)).toEqual([0n, 10n]);
    },
  },
  {
    name: "what has no price passes or not, as the budget says, and holds no money",
    async run({ budgets }) {
      await budgets.set(alice, budget({ limit: 0 }), NOON);
      await budgets.set(bob, budget({ whenUnpriced: "refuse" }), NOON);
      await hold(budgets, "r1", { estimate: "unpriced" });
      expect(await counts(budgets, alice)).toEqual([0n, 0n]);
      expect(await tryHold(budgets, "r2", { subjects: [bob], estimate: "unpriced" })).toMatchObject({
        reason: "budget-unpriced",
        estimate: "unpriced",
        standing: { subject: bob },
      });
      await budgets.answer({ requestId: "r1", subjects: [alice], startedAt: NOON, cost: "unpriced" }, NOON);
      expect(await counts(budgets, alice)).toEqual([0n, 0n]);
    },
  },
  {
    name: "subjects and requests are apart, whatever their ids are made of",
    async run({ budgets, ledger }) {
      const payers = HOSTILE_IDS.map((id): SpendSubject => ({ kind: "team", id }));
      for (const payer of payers) await budgets.set(payer, budget({ limit: 1000 }), NOON);
      for (const [i, payer] of payers.entries())
        await hold(budgets, payer.id, { subjects: [payer], estimate: i + 1 });
      const listed = await budgets.list(NOON);
      const pending = new Map(listed.map(({ subject, pending: held }) => [subject.id, held]));
      expect(pending).toEqual(new Map(HOSTILE_IDS.map((id, i) => [id, BigInt(i + 1)])));
      expect(await budgets.budgeted(payers)).toEqual(payers);
      const events = payers.map((payer, i) => spend(payer.id, { subjects: [payer], cost: i + 1 }));
      await ledger.commit(events, NOON);
      const after = (await budgets.list(NOON)).map(({ subject, spent, pending: held }) => [
        subject.id,
        [spent, held],
      ]);
      expect(Object.fromEntries(after.map(([id, both]) => [JSON.stringify(id), both]))).toEqual(
        Object.fromEntries(HOSTILE_IDS.map((id, i) => [JSON.stringify(id), [BigInt(i + 1), 0n]])),
      );
    },
  },
  {
    name: "amounts are exact far past 2^53",
    async run({ budgets, ledger }) {
      await budgets.set(alice, budget({ limit: MOST }), NOON);
      const ids = Array.from({ length: 30 }, (_, i) => `r${String(i)}`);
      for (const requestId of ids)
        await budgets.answer({ requestId, subjects: [alice], startedAt: NOON, cost: MOST }, NOON);
      expect(await counts(budgets, alice)).toEqual([0n, 30n * BigInt(MOST)]);
      await ledger.commit(
        ids.map((id) => spend(id, { cost: MOST })),
        NOON,
      );
      expect(await counts(budgets, alice)).toEqual([30n * BigInt(MOST), 0n]);
      await budgets.set(alice, budget({ limit: MOST, period: "month" }), NOON);
      expect(await counts(budgets, alice)).toEqual([30n * BigInt(MOST), 0n]);
    },
  },
  {
    name: "a budget that one handle sets binds the others, and what one holds counts in all",
    async run({ budgets, another }) {
      const neighbour = (await another?.())?.budgets ?? budgets;
      expect(await neighbour.budgeted([alice])).toEqual([]);
      await budgets.set(alice, budget(), NOON);
      expect(await budgets.budgeted([alice])).toEqual([alice]);
      await eventually(async () => expect(await neighbour.budgeted([alice, bob])).toEqual([alice]));
      await hold(budgets, "r1", { estimate: 60 });
      expect(await neighbour.hold(asking("r2", { estimate: 41 }), NOON + MINUTE)).toMatchObject({
        allowed: false,
        standing: { pending: 60n },
      });
      await neighbour.release("r1");
      expect(await counts(budgets, alice)).toEqual([0n, 0n]);
      await neighbour.set(alice, undefined, NOON);
      await eventually(async () => expect(await budgets.budgeted([alice])).toEqual([]));
    },
  },
  {
    name: "40 that ask at once over two handles never hold more than the budget",
    async run({ budgets, another }) {
      const neighbour = (await another?.())?.budgets ?? budgets;
      await budgets.set(team, budget(), NOON);
      await eventually(async () => expect(await neighbour.budgeted([team])).toEqual([team]));
      const decisions = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          const subjects: readonly SpendSubject[] = [{ kind: "key", id: `k${String(i % 3)}` }, team];
          return tryHold(i % 2 === 0 ? budgets : neighbour, `r${String(i)}`, { subjects, estimate: 7 });
        }),
      );
      expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(14);
      expect(await counts(budgets, team)).toEqual([0n, 98n]);
    },
  },
];
