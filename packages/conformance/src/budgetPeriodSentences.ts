import type { Budget } from "@quota/core";
import { expect } from "vitest";
import { budget, counts, hold, tryHold } from "./budgetSteps.js";
import type { Check } from "./check.js";
import { alice, bob, DAY, MINUTE, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

const HOUR = 60 * MINUTE;
const MIDNIGHT = NOON + DAY / 2;

/** What moments around a change lie in: a zone, a period, a moment in it, when it opens and when it ends. */
const spans: readonly (readonly [
  name: string,
  terms: Pick<Budget, "period" | "timeZone">,
  at: number,
  opens: number,
  ends: number,
])[] = [
  [
    "a day of 23 hours in Berlin",
    { period: "day", timeZone: "Europe/Berlin" },
    Date.UTC(2026, 2, 29, 12),
    Date.UTC(2026, 2, 28, 23),
    Date.UTC(2026, 2, 29, 22),
  ],
  [
    "a day in Kathmandu, which begins at a quarter past",
    { period: "day", timeZone: "Asia/Kathmandu" },
    NOON,
    Date.UTC(2026, 1, 9, 18, 15),
    Date.UTC(2026, 1, 10, 18, 15),
  ],
  [
    "a week from Monday in New York",
    { period: "week", timeZone: "America/New_York" },
    NOON,
    Date.UTC(2026, 1, 9, 5),
    Date.UTC(2026, 1, 16, 5),
  ],
  [
    "a month of 28 days in Tokyo",
    { period: "month", timeZone: "Asia/Tokyo" },
    NOON,
    Date.UTC(2026, 0, 31, 15),
    Date.UTC(2026, 1, 28, 15),
  ],
];

/** The contract of a budget ledger, by example: which period a dollar belongs to. */
export const budgetPeriodSentences: readonly Check<SpendBooksUnderTest>[] = [
  ...spans.map(([name, terms, at, opens, ends]) => ({
    name: `${name} counts what started in it, from its first millisecond to its last`,
    async run({ ledger, budgets }: SpendBooksUnderTest) {
      const starts = [opens - 1, opens, ends - 1, ends];
      const half = (part: number): ReturnType<typeof spend>[] =>
        starts.map((startedAt, i) =>
          spend(`${String(part)} ${String(i)}`, { startedAt, endedAt: ends + HOUR, cost: part * 10 ** i }),
        );
      await ledger.commit(half(1), at);
      await budgets.set(alice, budget(terms), at);
      await ledger.commit(half(2), at);
      expect(await budgets.standing(alice, at)).toMatchObject({ span: { opens, ends }, spent: 330n });
      for (const [i, startedAt] of starts.entries())
        await budgets.answer(
          { requestId: `pending ${String(i)}`, subjects: [alice], startedAt, cost: 10 ** i },
          at,
        );
      expect(await counts(budgets, alice, at)).toEqual([330n, 110n]);
      // Set anew, everything is found again.
      await budgets.set(alice, budget({ ...terms, limit: 7 }), at);
      expect(await counts(budgets, alice, at)).toEqual([330n, 110n]);
      expect(await counts(budgets, alice, ends)).toEqual([3000n, 1000n]);
    },
  })),
  {
    name: "a budget set in the middle of a period counts what was spent and is pending in it, and nothing older",
    async run({ ledger, budgets }) {
      await budgets.set(team, budget(), NOON);
      const subjects = [alice, team];
      const yesterday = NOON - DAY;
      await ledger.commit(
        [spend("old", { startedAt: yesterday, cost: 1000 }), spend("new", { cost: 3 })],
        NOON,
      );
      await budgets.answer({ requestId: "old, pending", subjects, startedAt: yesterday, cost: 500 }, NOON);
      await hold(budgets, "under way", { subjects, estimate: 20 });
      await budgets.answer({ requestId: "answered", subjects, startedAt: NOON, cost: 40 }, NOON);
      await budgets.set(alice, budget(), NOON);
      expect(await counts(budgets, alice)).toEqual([3n, 60n]);
      expect(await tryHold(budgets, "too much", { estimate: 38 })).toMatchObject({ allowed: false });
      await hold(budgets, "just enough", { estimate: 37 });
      await budgets.answer({ requestId: "under way", subjects, startedAt: NOON, cost: 1 }, NOON);
      expect(await counts(budgets, alice)).toEqual([3n, 78n]);
    },
  },
  {
    name: "an old period's backlog does not eat the new one's budget, pending or committed",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      for (const id of ["r1", "r2"]) await hold(budgets, id, { estimate: 50 });
      for (const requestId of ["r1", "r2"])
        await budgets.answer({ requestId, subjects: [alice], startedAt: NOON, cost: 50 }, NOON);
      expect(await tryHold(budgets, "refused", { estimate: 1 })).toMatchObject({ retryAt: MIDNIGHT });
      expect(await counts(budgets, alice, MIDNIGHT)).toEqual([0n, 0n]);
      await hold(budgets, "new", { startedAt: MIDNIGHT, estimate: 100 });
      await ledger.commit([spend("r1", { cost: 50, endedAt: MIDNIGHT + 1 })], MIDNIGHT);
      expect(await counts(budgets, alice, MIDNIGHT)).toEqual([0n, 100n]);
      await ledger.commit(
        [spend("r2", { cost: 50 }), spend("new", { startedAt: MIDNIGHT, cost: 9 })],
        MIDNIGHT,
      );
      expect(await counts(budgets, alice, MIDNIGHT)).toEqual([9n, 0n]);
    },
  },
  {
    name: "what is held over the end of a period belongs to the one that it started in",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      const startedAt = MIDNIGHT - 1;
      await hold(budgets, "r", { startedAt, estimate: 100 });
      await hold(budgets, "s", { startedAt: MIDNIGHT, estimate: 100 });
      await budgets.answer({ requestId: "r", subjects: [alice], startedAt, cost: 70 }, MIDNIGHT + 1);
      expect(await counts(budgets, alice, MIDNIGHT + 1)).toEqual([0n, 100n]);
      expect(await counts(budgets, alice, MIDNIGHT - 1)).toEqual([0n, 70n]);
      await ledger.commit([spend("r", { startedAt, endedAt: MIDNIGHT + 1, cost: 70 })], MIDNIGHT + 2);
      expect(await counts(budgets, alice, MIDNIGHT + 2)).toEqual([0n, 100n]);
    },
  },
  {
    name: "a change of period or zone counts anew, what is pending too",
    async run({ ledger, budgets }) {
      // What is spent at 1, 10, 100 and 1000 nano-dollars, from last month to today.
      const starts = [NOON - 12 * DAY, NOON - DAY - HOUR, NOON - 13 * HOUR, NOON];
      await budgets.set(team, budget(), NOON);
      await budgets.set(alice, budget(), NOON);
      for (const [i, startedAt] of starts.entries()) {
        await ledger.commit([spend(`r${String(i)}`, { startedAt, cost: 10 ** i })], NOON);
        const requestId = `p${String(i)}`;
        await budgets.answer({ requestId, subjects: [alice, team], startedAt, cost: 2 * 10 ** i }, NOON);
      }
      const terms: readonly (readonly [Partial<Budget>, bigint])[] = [
        [{ period: "day" }, 1000n],
        [{ period: "day", timeZone: "America/New_York" }, 1000n],
        [{ period: "day", timeZone: "Asia/Tokyo" }, 1000n],
        [{ period: "day", timeZone: "Pacific/Kiritimati" }, 1000n],
        [{ period: "day", timeZone: "Pacific/Pago_Pago" }, 1000n],
        [{ period: "week" }, 1110n],
        [{ period: "month" }, 1110n],
        [{ period: "once", since: 0 }, 1111n],
        [{ period: "once", since: NOON - DAY }, 1100n],
        [{ period: "month", timeZone: "Asia/Tokyo" }, 1110n],
        [{ period: "day" }, 1000n],
      ];
      for (const [change, spent] of terms) {
        const opens = (await setAndRead(change))!.span.opens;
        const expected = starts.reduce((sum, at, i) => sum + (at >= opens ? 10n ** BigInt(i) : 0n), 0n);
        expect([change, await counts(budgets, alice)]).toEqual([change, [expected, 2n * expected]]);
        if (change.timeZone === undefined) expect(expected).toBe(spent);
      }
      async function setAndRead(change: Partial<Budget>): ReturnType<typeof budgets.standing> {
        await budgets.set(alice, budget(change), NOON);
        return budgets.standing(alice, NOON);
      }
    },
  },
  {
    name: "a budget once and for all counts from its moment on, to the millisecond, and never ends",
    async run({ ledger, budgets }) {
      const since = NOON + 7 * MINUTE + 1;
      await ledger.commit(
        [spend("r1", { startedAt: since - 1, cost: 1 }), spend("r2", { startedAt: since, cost: 10 })],
        since,
      );
      await budgets.answer({ requestId: "p1", subjects: [alice], startedAt: since - 1, cost: 2 }, since);
      await budgets.answer({ requestId: "p2", subjects: [alice], startedAt: since, cost: 20 }, since);
      await budgets.set(alice, budget({ period: "once", since }), since);
      expect(await counts(budgets, alice, since)).toEqual([10n, 20n]);
      await ledger.commit(
        [spend("r3", { startedAt: since - 1, cost: 1 }), spend("p2", { startedAt: since, cost: 20 })],
        since,
      );
      expect(await counts(budgets, alice, since + 4000 * DAY)).toEqual([30n, 0n]);
      expect(await tryHold(budgets, "r4", { startedAt: since + DAY, estimate: 71 })).toMatchObject({
        allowed: false,
        standing: { span: { opens: since, ends: "never" }, spent: 30n },
      });
    },
  },
  {
    name: "what does not say when it started counts in whichever period is asked about",
    async run({ ledger, budgets }) {
      await ledger.commit([spend("r1", { startedAt: undefined, cost: 5 })], NOON);
      await budgets.set(alice, budget(), NOON);
      await budgets.set(bob, budget(), NOON);
      await ledger.commit([spend("r2", { startedAt: undefined, cost: 30 })], NOON);
      for (const now of [NOON, NOON + DAY]) expect(await counts(budgets, alice, now)).toEqual([35n, 0n]);
      expect(await counts(budgets, bob)).toEqual([0n, 0n]);
    },
  },
  {
    name: "raising the limit of a budget once and for all loses nothing of what was purged, wherever in a quarter it begins",
    async run({ ledger, budgets }) {
      const since = NOON - 5 * MINUTE;
      await budgets.set(alice, budget({ period: "once", since }), NOON);
      const startedAt = since + MINUTE;
      await ledger.commit([spend("r", { startedAt, endedAt: startedAt, cost: 90 })], NOON);
      await hold(budgets, "under way", { estimate: 5 });
      expect(await ledger.purge(NOON)).toBe(1);
      await budgets.set(alice, budget({ period: "once", since, limit: 200 }), NOON);
      expect(await counts(budgets, alice)).toEqual([90n, 5n]);
      expect(await tryHold(budgets, "too much", { estimate: 106 })).toMatchObject({ allowed: false });
      await hold(budgets, "just enough", { estimate: 105 });
    },
  },
  {
    name: "what was purged counts in its period all the same, and for a budget that is set later",
    async run({ ledger, budgets }) {
      await budgets.set(bob, budget({ period: "month" }), NOON);
      await ledger.commit(
        [
          spend("r1", {
            subjects: [bob, team],
            startedAt: NOON - 2 * DAY,
            endedAt: NOON - 2 * DAY,
            cost: 30,
          }),
          spend("r2", {
            subjects: [bob, team],
            startedAt: NOON - 40 * DAY,
            endedAt: NOON - 40 * DAY,
            cost: 500,
          }),
        ],
        NOON,
      );
      expect(await ledger.purge(NOON - DAY)).toBe(2);
      expect(await counts(budgets, bob)).toEqual([30n, 0n]);
      await budgets.set(team, budget({ period: "month" }), NOON);
      await budgets.set(bob, budget({ period: "week" }), NOON);
      expect(await counts(budgets, team)).toEqual([30n, 0n]);
      expect(await counts(budgets, bob)).toEqual([0n, 0n]);
      await budgets.set(bob, budget({ period: "month" }), NOON);
      expect(await counts(budgets, bob)).toEqual([30n, 0n]);
    },
  },
];
