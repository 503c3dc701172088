import { budgetSpan, subjectName, type Budget, type SpendEvent, type SpendSubject } from "@quota/core";
import fc from "fast-check";
import { expect } from "vitest";
import { budget } from "./budgetSteps.js";
import type { Check } from "./check.js";
import { eventually } from "./eventually.js";
import { alice, bob, DAY, MINUTE, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooks, SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/** The contract of a budget ledger by random histories, each compared with a plain list of dollars; and of crowds. */
export const budgetLedgerHistories: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "random histories over two handles agree with a plain list in which every dollar stands once",
    async run(subject) {
      const handles = [subject, (await subject.another?.()) ?? subject] as const;
      let histories = 0;
      const property = fc.asyncProperty(
        fc.array(commandArbitrary, { minLength: 8, maxLength: 16, size: "max" }),
        async (commands) => {
          histories += 1;
          await follow(commands, handles, `h${String(histories)}`);
        },
      );
      await fc.assert(property, { numRuns: 30 });
    },
  },
  {
    name: "whatever is held, answered, released and committed at once, every dollar is counted once in the end",
    async run(subject) {
      const handles = [subject, (await subject.another?.()) ?? subject] as const;
      const limit = 1000;
      await subject.budgets.set(team, budget({ limit }), NOON);
      await eventually(async () => expect(await handles[1].budgets.budgeted([team])).toEqual([team]));
      let spent = 0n;
      const request = async (i: number): Promise<void> => {
        const { budgets } = handles[i % 2 === 0 ? 0 : 1];
        const { ledger } = handles[i % 3 === 0 ? 0 : 1];
        const requestId = `r${String(i)}`;
        const asked = { requestId, subjects: [team, i % 4 < 2 ? alice : bob], startedAt: NOON };
        const decision = await budgets.hold({ ...asked, estimate: 40, leaseEnd: NOON + MINUTE }, NOON);
        if (!decision.allowed) {
          expect(decision.standing.spent + decision.standing.pending + 40n).toBeGreaterThan(BigInt(limit));
          return;
        }
        if (i % 5 === 0) return budgets.release(requestId);
        const cost = 10 + (i % 7);
        spent += BigInt(cost);
        const event = spend(requestId, { subjects: asked.subjects, cost });
        // Answered after the commit, with it, or twice: whichever comes first.
        await Promise.all([
          budgets.answer({ ...asked, cost }, NOON),
          ledger.commit([event], NOON),
          budgets.answer({ ...asked, cost: cost + 1 }, NOON),
        ]);
        await ledger.commit([event], NOON);
      };
      await Promise.all(Array.from({ length: 48 }, async (_, i) => request(i)));
      for (const { budgets } of handles)
        expect(await budgets.standing(team, NOON)).toMatchObject({ spent, pending: 0n });
      expect(await subject.ledger.total(team)).toBe(spent);
    },
  },
];

const budgetArbitrary = fc
  .record({
    limit: fc.integer({ min: 0, max: 120 }),
    period: fc.constantFrom<Budget["period"][]>("day", "day", "week", "month", "once"),
    timeZone: fc.constantFrom("UTC", "Asia/Kathmandu", "America/New_York"),
    since: fc.constantFrom(NOON - DAY, NOON + 1),
    whenUnpriced: fc.constantFrom<Budget["whenUnpriced"][]>("allow", "refuse"),
  })
  .map(budget);

const commandArbitrary = fc.record({
  kind: fc.constantFrom("hold", "hold", "hold", "answer", "commit", "release", "release", "renew", "set"),
  handle: fc.constantFrom<0 | 1>(0, 1),
  id: fc.integer({ min: 0, max: 2 }),
  subject: fc.constantFrom(alice, team),
  payers: fc.constantFrom([alice], [alice, team], [bob, team]),
  amount: fc.oneof(fc.constantFrom<(number | "unpriced")[]>(0, "unpriced"), fc.integer({ min: 1, max: 70 })),
  budget: fc.option(budgetArbitrary, { nil: undefined, freq: 6 }),
  /** How long after the command before it. */
  wait: fc.constantFrom(0, 0, 0, MINUTE, MINUTE, 9 * MINUTE, 9 * MINUTE, DAY / 2),
});

type Command = typeof commandArbitrary extends fc.Arbitrary<infer Each> ? Each : never;

/** Where one request's money is. */
interface Dollars {
  readonly subjects: readonly SpendSubject[];
  readonly startedAt: number;
  readonly amount: bigint;
  readonly state: "held" | "answered" | "committed";
  readonly leaseEnd: number;
}

async function follow(
  commands: readonly Command[],
  handles: readonly [SpendBooks, SpendBooks],
  history: string,
): Promise<void> {
  const own = ({ kind, id }: SpendSubject): SpendSubject => ({ kind, id: `${history} ${id}` });
  const dollars = new Map<string, Dollars>();
  const budgets = new Map<string, Budget>();
  let now = NOON;
  await set(alice, budget());
  await set(team, budget({ period: "week", whenUnpriced: "refuse" }));

  for (const { kind, handle, id, subject, payers, amount, budget: terms, wait } of commands) {
    now += wait;
    const books = handles[handle];
    const requestId = `${history} ${String(id)}`;
    const before = dollars.get(requestId);
    const isLive = before !== undefined && (before.state !== "held" || before.leaseEnd > now);
    const subjects = before?.subjects ?? payers.map(own);
    const startedAt = before?.startedAt ?? now;
    const worth = amount === "unpriced" ? 0n : BigInt(amount);
    const leaseEnd = now + 10 * MINUTE;
    switch (kind) {
      case "hold": {
        // An engine's ids do not come twice.
        if (before !== undefined) break;
        const refusing = subjects.filter((each) => refuses(each, amount));
        const decision = await books.budgets.hold(
          { requestId, subjects, startedAt, estimate: amount, leaseEnd },
          now,
        );
        expect(decision.allowed).toBe(refusing.length === 0);
        if (decision.allowed)
          dollars.set(requestId, { subjects, startedAt, amount: worth, state: "held", leaseEnd });
        else expect(decision.standing).toMatchObject(standingOf(refusing[0]!)!);
        break;
      }
      case "answer":
        await books.budgets.answer({ requestId, subjects, startedAt, cost: amount }, now);
        if (before === undefined || before.state === "held")
          dollars.set(requestId, { subjects, startedAt, amount: worth, state: "answered", leaseEnd });
        break;
      case "commit": {
        const event: SpendEvent = spend(requestId, { subjects, startedAt, endedAt: now, cost: amount });
        await books.ledger.commit([event], now);
        if (before?.state !== "committed")
          dollars.set(requestId, { subjects, startedAt, amount: worth, state: "committed", leaseEnd });
        break;
      }
      case "release":
        await books.budgets.release(requestId);
        if (before?.state === "held") dollars.delete(requestId);
        break;
      case "renew":
        // What has ended may have been swept or not.
        if (before?.state !== "held" || !isLive) break;
        await books.budgets.renew([requestId], now + 60 * MINUTE);
        dollars.set(requestId, { ...before, leaseEnd: now + 60 * MINUTE });
        break;
      case "set":
        await set(subject, terms);
        break;
    }
    for (const each of [alice, team].map(own)) {
      const expected = standingOf(each);
      const standing = await handles[1 - handle]!.budgets.standing(each, now);
      if (expected === undefined) expect(standing).toBeUndefined();
      else expect(standing).toMatchObject(expected);
    }
  }

  async function set(subject: SpendSubject, terms: Budget | undefined): Promise<void> {
    const name = own(subject);
    for (const { budgets: theirs } of handles.slice(0, 1)) await theirs.set(name, terms, now);
    if (terms === undefined) budgets.delete(subjectName(name));
    else budgets.set(subjectName(name), terms);
    // Whether there is a budget is kept at hand, and a neighbour may learn of it late.
    const expected = terms === undefined ? [] : [name];
    await eventually(async () => expect(await handles[1].budgets.budgeted([name])).toEqual(expected));
  }

  function standingOf(subject: SpendSubject) {
    const terms = budgets.get(subjectName(subject));
    if (terms === undefined) return undefined;
    const span = budgetSpan(terms, now);
    const theirs = [...dollars.values()].filter(
      ({ subjects, startedAt, state, leaseEnd }) =>
        subjects.some((each) => subjectName(each) === subjectName(subject)) &&
        startedAt >= span.opens &&
        (span.ends === "never" || startedAt < span.ends) &&
        (state !== "held" || leaseEnd > now),
    );
    const sum = (some: readonly Dollars[]): bigint => some.reduce((total, { amount }) => total + amount, 0n);
    return {
      subject,
      span,
      spent: sum(theirs.filter(({ state }) => state === "committed")),
      pending: sum(theirs.filter(({ state }) => state !== "committed")),
    };
  }

  function refuses(subject: SpendSubject, estimate: number | "unpriced"): boolean {
    const terms = budgets.get(subjectName(subject));
    const standing = standingOf(subject);
    if (terms === undefined || standing === undefined) return false;
    if (estimate === "unpriced") return terms.whenUnpriced === "refuse";
    return estimate > 0 && standing.spent + standing.pending + BigInt(estimate) > BigInt(terms.limit);
  }
}
