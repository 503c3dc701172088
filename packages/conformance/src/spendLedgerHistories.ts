import { SUBJECT_KINDS, subjectName, type SpendEvent, type SpendSubject } from "@quota/core";
import type { SpendAsked, SpendGroup } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { alice, bob, DAY, MOST, NOON, spend, team } from "./sampleSpend.js";
import type { SpendBooks, SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/** The contract of a spend ledger when several write to it, and by random histories, each compared with a plain list. */
export const spendLedgerHistories: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "batches that overlap, committed at once over two handles, are added once",
    async run({ ledger, another }) {
      const neighbour = (await another?.())?.ledger ?? ledger;
      const events = Array.from({ length: 60 }, (_, i) =>
        spend(`r${String(i)}`, { subjects: [alice, team] }),
      );
      const starts = [0, 10, 20, 30, 0, 25, 5, 40];
      const answers = await Promise.all(
        starts.map(async (start, i) =>
          // Each its own order, so that two that lock row by row would wait for each other.
          (i % 2 === 0 ? ledger : neighbour).commit(
            i % 3 === 0 ? events.slice(start, start + 20).toReversed() : events.slice(start, start + 20),
            NOON,
          ),
        ),
      );
      expect(answers.reduce((total, { added }) => total + added, 0)).toBe(60);
      expect(answers.map(({ added, known }) => added + known)).toEqual(starts.map(() => 20));
      expect(await ledger.total(alice)).toBe(6_000n);
      expect(await neighbour.total(team)).toBe(6_000n);
      expect(await neighbour.spend({ groupBy: "team", from: 0, to: NOON + DAY })).toMatchObject([
        { group: "red", cost: 6_000n, requests: 60 },
      ]);
    },
  },
  {
    name: "random histories over two handles agree with a plain list",
    async run(subject) {
      const handles = [subject, (await subject.another?.()) ?? subject] as const;
      let histories = 0;
      const property = fc.asyncProperty(
        fc.array(commandArbitrary, { minLength: 3, maxLength: 8 }),
        async (commands) => {
          histories += 1;
          await follow(commands, handles, `h${String(histories)}`);
        },
      );
      await fc.assert(property, { numRuns: 25 });
    },
  },
];

const momentArbitrary = fc.constantFrom(
  NOON - DAY,
  NOON - 1,
  NOON,
  NOON + 900_000,
  NOON + DAY - 1,
  NOON + DAY,
);

const eventArbitrary = fc.record({
  id: fc.integer({ min: 0, max: 9 }),
  payers: fc.constantFrom([alice], [bob], [alice, team], [bob, team], [team]),
  cost: fc.oneof(
    fc.constantFrom<(number | "unpriced")[]>(0, "unpriced", MOST),
    fc.integer({ min: 1, max: 1000 }),
  ),
  endedAt: momentArbitrary,
  model: fc.constantFrom(undefined, "k2", "k3"),
});

const askedArbitrary = fc.record({
  groupBy: fc.constantFrom<SpendAsked["groupBy"][]>(...SUBJECT_KINDS, "model", "day"),
  from: fc.constantFrom(NOON - DAY, NOON, NOON + 900_000),
  to: fc.constantFrom(NOON, NOON + 900_000, NOON + DAY, NOON + 2 * DAY),
});

const commandArbitrary = fc.record({
  kind: fc.constantFrom("commit", "commit", "commit", "purge"),
  handle: fc.constantFrom<0 | 1>(0, 1),
  batch: fc.array(eventArbitrary, { minLength: 1, maxLength: 6 }),
  before: momentArbitrary,
  asked: askedArbitrary,
  of: fc.constantFrom(alice, bob, team),
});

type Command = typeof commandArbitrary extends fc.Arbitrary<infer Each> ? Each : never;

/** Runs a history, and asks after each step for a group of its own subjects; those of other histories are not in the way. */
async function follow(
  commands: readonly Command[],
  handles: readonly [SpendBooks, SpendBooks],
  history: string,
): Promise<void> {
  const own = ({ kind, id }: SpendSubject): SpendSubject => ({ kind, id: `${history} ${id}` });
  const written = new Map<string, SpendEvent>();
  let detailed = new Set<string>();
  for (const { kind, handle, batch, before, asked, of } of commands) {
    const { ledger } = handles[handle];
    if (kind === "commit") {
      const events = batch.map(({ id, payers, cost, endedAt, model }) =>
        spend(`${history} ${String(id)}`, { subjects: payers.map(own), cost, endedAt, model }),
      );
      const size = written.size;
      for (const event of events)
        if (!written.has(event.requestId)) {
          written.set(event.requestId, event);
          detailed.add(event.requestId);
        }
      const added = written.size - size;
      expect(await ledger.commit(events, NOON)).toEqual({ added, known: events.length - added });
    } else {
      const stay = [...detailed].filter((id) => written.get(id)!.endedAt >= before);
      // Others' events may be purged with ours.
      expect(await ledger.purge(before)).toBeGreaterThanOrEqual(detailed.size - stay.length);
      detailed = new Set(stay);
    }
    const other = handles[1 - handle]!.ledger;
    for (const each of [of, team]) {
      const payer = own(each);
      const theirs = [...written.values()].filter((event) => paidBy(event, payer));
      expect(await other.total(payer)).toBe(theirs.reduce((total, event) => total + costOf(event), 0n));
      const groups = await other.spend({ ...asked, of: payer });
      expect(sorted(groups)).toEqual(sorted(groupsOf(theirs, asked)));
      expect(isInOrder(groups, asked.groupBy)).toBe(true);
    }
  }
}

function groupsOf(events: readonly SpendEvent[], { groupBy, from, to }: SpendAsked): readonly SpendGroup[] {
  const inTime = events.filter(({ endedAt }) => endedAt >= from && endedAt < to);
  const nameOf = ({ subjects, model, endedAt }: SpendEvent): string | undefined =>
    groupBy === "model"
      ? model
      : groupBy === "day"
        ? new Date(endedAt).toISOString().slice(0, 10)
        : subjects.find(({ kind }) => kind === groupBy)?.id;
  return [...new Set(inTime.map(nameOf))].map((group) => {
    const members = inTime.filter((event) => nameOf(event) === group);
    return {
      group,
      cost: members.reduce((total, event) => total + costOf(event), 0n),
      requests: members.length,
      unpriced: members.filter(({ cost }) => cost === "unpriced").length,
      tokens: { input: 0, cachedInput: 0, output: 0 },
    };
  });
}

function isInOrder(groups: readonly SpendGroup[], by: SpendAsked["groupBy"]): boolean {
  return groups.every((each, i) => {
    const before = groups[i - 1];
    if (before === undefined) return true;
    return by === "day" ? before.group! < each.group! : before.cost >= each.cost;
  });
}

function sorted(groups: readonly SpendGroup[]): readonly SpendGroup[] {
  return groups.toSorted((a, b) => ((a.group ?? "") < (b.group ?? "") ? -1 : 1));
}

function paidBy({ subjects }: SpendEvent, payer: SpendSubject): boolean {
  return subjects.some((each) => subjectName(each) === subjectName(payer));
}

function costOf({ cost }: SpendEvent): bigint {
  return cost === "unpriced" ? 0n : BigInt(cost);
}
