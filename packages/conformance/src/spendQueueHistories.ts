import { subjectName, type SpendEvent } from "@quota/core";
import type { SpendQueue } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { alice, bob, MINUTE, MOST, NOON, spend, team } from "./sampleSpend.js";
import { hotSpends, waitingEvents } from "./spendQueueSteps.js";
import type { SpendQueueUnderTest } from "./spendQueueUnderTest.js";

/** The contract of a spend queue when several use it, and by random histories, each compared with a plain list. */
export const spendQueueHistories: readonly Check<SpendQueueUnderTest>[] = [
  {
    name: "of 40 that hand in one id at once with different payloads, one is queued, whole",
    async run({ queue, another }) {
      const neighbour = another ? await another() : queue;
      const asked = Array.from({ length: 40 }, (_, i) => spend("r", { cost: i + 1 }));
      const answers = await Promise.all(
        asked.map(async (event, i) => (i % 2 === 0 ? queue : neighbour).enqueueSpend(event, NOON)),
      );
      expect(answers.filter((answer) => answer === "queued")).toHaveLength(1);
      const [kept] = await waitingEvents(queue);
      expect(kept).toEqual(asked[answers.indexOf("queued")]);
      expect(await queue.hotSpend(alice)).toBe(BigInt(kept?.cost ?? 0));
      expect(await queue.backlog()).toMatchObject({ waiting: 1 });
    },
  },
  {
    name: "while three hand in and three flush, everything reaches the ledger once, in its order, and nothing stays hot",
    async run({ queue, another }) {
      const handles = another ? [queue, await another(), await another()] : [queue, queue, queue];
      const ledger = new Map<string, SpendEvent>();
      let handingIn = handles.length;
      const handIn = async (handle: SpendQueue, who: number): Promise<void> => {
        for (let i = 0; i < 40; i += 1) {
          const event = spend(`${String(who)} ${String(i)}`, { cost: MOST - i });
          await handle.enqueueSpend(event, NOON);
          // A retry by somebody who did not hear the answer.
          if (i % 5 === 0) expect(await handle.enqueueSpend(event, NOON)).toBe("known");
        }
        handingIn -= 1;
      };
      const flush = async (handle: SpendQueue): Promise<void> => {
        for (;;) {
          const over = handingIn === 0;
          const { items } = await handle.peekSpend(7);
          for (const { event } of items) if (!ledger.has(event.requestId)) ledger.set(event.requestId, event);
          if (items.length > 0) await handle.ackSpend(items[0]!.position, items.length);
          else if (over) return;
        }
      };
      await Promise.all([...handles.map(handIn), ...handles.map(flush)]);
      expect(ledger.size).toBe(120);
      for (const who of ["0 ", "1 ", "2 "])
        expect([...ledger.keys()].filter((id) => id.startsWith(who))).toEqual(
          Array.from({ length: 40 }, (_, i) => `${who}${String(i)}`),
        );
      expect(await queue.hotSpend(alice)).toBe(0n);
      expect(await queue.hotSpendSince(alice, NOON)).toBe(0n);
      expect(await queue.backlog()).toEqual({ waiting: 0, oldestAt: undefined });
    },
  },
  {
    name: "random histories over two handles agree with a plain list",
    async run({ queue, another, spoil }) {
      const handles = [queue, another ? await another() : queue] as const;
      let histories = 0;
      const property = fc.asyncProperty(
        fc.array(commandArbitrary, { minLength: 4, maxLength: 18 }),
        async (commands) => {
          histories += 1;
          // What a history that failed left behind is none of the next one's business.
          await drain(queue);
          await follow(commands, { handles, spoil, history: String(histories) });
          await drain(queue);
          expect(await hotSpends(queue, PAYERS)).toEqual(PAYERS.map(() => 0n));
          for (const payer of PAYERS) expect(await queue.hotSpendSince(payer, NOON)).toBe(0n);
        },
      );
      await fc.assert(property, { numRuns: 40 });
    },
  },
];

const PAYERS = [alice, bob, team];

const commandArbitrary = fc.record({
  kind: fc.constantFrom("hand in", "hand in", "hand in", "look", "look", "acknowledge", "spoil"),
  handle: fc.constantFrom<0 | 1>(0, 1),
  id: fc.integer({ min: 0, max: 5 }),
  cost: fc.oneof(
    fc.constantFrom<(number | "unpriced")[]>(0, "unpriced", MOST),
    fc.integer({ min: 1, max: 1000 }),
  ),
  payers: fc.constantFrom([alice], [bob], [team], [team, alice], [bob, team]),
  startedAt: fc.constantFrom(undefined, NOON - MINUTE, NOON - 1, NOON, NOON + MINUTE),
  count: fc.integer({ min: 1, max: 4 }),
  /** Which of the heads seen before is acknowledged, counted back from the newest. */
  back: fc.constantFrom(0, 0, 0, 1, 2),
});

type Command = typeof commandArbitrary extends fc.Arbitrary<infer Each> ? Each : never;

interface Kept {
  readonly event: SpendEvent;
  raw: "whole" | "spoiled";
}

async function follow(
  commands: readonly Command[],
  {
    handles,
    spoil,
    history,
  }: {
    readonly handles: readonly [SpendQueue, SpendQueue];
    readonly spoil: SpendQueueUnderTest["spoil"];
    readonly history: string;
  },
): Promise<void> {
  let kept: readonly Kept[] = [];
  const known = new Set<string>();
  const heads: { readonly position: string; readonly item: Kept }[] = [];
  for (const { kind, handle, id, cost, payers, startedAt, count, back } of commands) {
    const queue = handles[handle];
    switch (kind) {
      case "hand in": {
        const event = spend(`${history} ${String(id)}`, { cost, subjects: payers, startedAt });
        expect(await queue.enqueueSpend(event, NOON)).toBe(known.has(event.requestId) ? "known" : "queued");
        if (!known.has(event.requestId)) kept = [...kept, { event, raw: "whole" }];
        known.add(event.requestId);
        break;
      }
      case "look": {
        const { items, damaged } = await queue.peekSpend(count);
        const asked = kept.slice(0, count);
        const end = asked.findIndex(({ raw }) => raw === "spoiled");
        const readable = end === -1 ? asked : asked.slice(0, end);
        expect(items.map(({ event }) => event)).toEqual(readable.map(({ event }) => event));
        if (end !== -1) expect(damaged).toMatchObject({ raw: "spoiled" });
        const position = items[0]?.position ?? damaged?.position;
        if (position !== undefined) heads.push({ position, item: kept[0]! });
        break;
      }
      case "acknowledge": {
        const head = heads.at(-1 - back);
        if (head === undefined) break;
        const holds = head.item === kept[0];
        const taken = Math.min(count, kept.length);
        expect(await queue.ackSpend(head.position, holds ? taken : count)).toBe(holds);
        if (holds) kept = kept.slice(taken);
        break;
      }
      case "spoil": {
        const item = kept[count - 1];
        if (item === undefined) break;
        await spoil(count - 1, "spoiled");
        item.raw = "spoiled";
        break;
      }
    }
    for (const payer of PAYERS) {
      const theirs = kept.filter(({ event }) =>
        event.subjects.some((each) => subjectName(each) === subjectName(payer)),
      );
      expect(await queue.hotSpend(payer)).toBe(sumOf(theirs));
      const recent = theirs.filter(({ event }) => event.startedAt === undefined || event.startedAt >= NOON);
      expect(await queue.hotSpendSince(payer, NOON)).toBe(sumOf(recent));
    }
    expect((await queue.backlog()).waiting).toBe(kept.length);
  }
}

function sumOf(kept: readonly Kept[]): bigint {
  return kept.reduce((total, { event: { cost } }) => total + (cost === "unpriced" ? 0n : BigInt(cost)), 0n);
}

/** Takes everything out, damaged or not. */
async function drain(queue: SpendQueue): Promise<void> {
  for (;;) {
    const { items, damaged } = await queue.peekSpend(100);
    const head = items[0] ?? damaged;
    if (head === undefined) return;
    await queue.ackSpend(head.position, Math.max(1, items.length));
  }
}
