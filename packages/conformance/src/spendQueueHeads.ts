import { expect } from "vitest";
import type { Check } from "./check.js";
import { alice, bob, NOON, spend, team } from "./sampleSpend.js";
import { ackAll, hotSpends, waitingEvents } from "./spendQueueSteps.js";
import type { SpendQueueUnderTest } from "./spendQueueUnderTest.js";

const three = [
  spend("r1", { cost: 1 }),
  spend("r2", { cost: 10, subjects: [alice, team] }),
  spend("r3", { cost: 100 }),
];

async function handIn({ queue }: SpendQueueUnderTest): Promise<void> {
  for (const event of three) await queue.enqueueSpend(event, NOON);
}

/** Texts that are no event, or none that can be counted. */
const unreadable = [
  "",
  "{",
  "null",
  "[]",
  "7",
  "{}",
  "\u0000",
  "\r\n'; --",
  JSON.stringify({ ...three[0], cost: -1 }),
  JSON.stringify({ ...three[0], subjects: [] }),
  JSON.stringify(three[0]).slice(0, -1),
];

/** The contract of a spend queue, by example: what is seen of its head, and taken out. */
export const spendQueueHeads: readonly Check<SpendQueueUnderTest>[] = [
  {
    name: "looking takes nothing out, and shows at most what was asked for",
    async run(subject) {
      const { queue } = subject;
      await handIn(subject);
      const seen = await queue.peekSpend(2);
      expect(seen.items.map(({ event }) => event)).toEqual(three.slice(0, 2));
      expect(await queue.peekSpend(2)).toEqual(seen);
      expect(await waitingEvents(queue)).toEqual(three);
      expect(await hotSpends(queue, [alice, team])).toEqual([111n, 10n]);
      const positions = (await queue.peekSpend(3)).items.map(({ position }) => position);
      expect(new Set(positions).size).toBe(3);
    },
  },
  {
    name: "an acknowledgement takes out the first ones, with what they had added, and leaves the rest",
    async run(subject) {
      const { queue } = subject;
      await handIn(subject);
      const { items } = await queue.peekSpend(3);
      expect(await queue.ackSpend(items[0]!.position, 2)).toBe(true);
      expect(await hotSpends(queue, [alice, team])).toEqual([100n, 0n]);
      expect((await queue.peekSpend(9)).items).toEqual(items.slice(2));
    },
  },
  {
    name: "an acknowledgement of a head that is none any more, or not yet, does nothing",
    async run(subject) {
      const { queue } = subject;
      await handIn(subject);
      const { items } = await queue.peekSpend(3);
      const [first, second] = items.map(({ position }) => position);
      expect(await queue.ackSpend(second!, 1)).toBe(false);
      expect(await queue.ackSpend("no such position", 3)).toBe(false);
      expect(await waitingEvents(queue)).toEqual(three);
      expect(await queue.ackSpend(first!, 1)).toBe(true);
      expect(await queue.ackSpend(first!, 1)).toBe(false);
      expect(await queue.ackSpend(first!, 3)).toBe(false);
      expect(await waitingEvents(queue)).toEqual(three.slice(1));
      expect(await hotSpends(queue, [alice, team])).toEqual([110n, 10n]);
    },
  },
  {
    name: "a position is never another item's, not even after the queue was empty",
    async run(subject) {
      const { queue, another } = subject;
      const neighbour = another ? await another() : queue;
      await handIn(subject);
      const [first] = (await queue.peekSpend(1)).items;
      await ackAll(queue);
      for (const id of ["s1", "s2", "s3"]) await neighbour.enqueueSpend(spend(id), NOON);
      expect(await queue.ackSpend(first!.position, 1)).toBe(false);
      expect(await queue.hotSpend(alice)).toBe(300n);
    },
  },
  {
    name: "of eight that acknowledge the same head at once, one does",
    async run(subject) {
      const { queue, another } = subject;
      const neighbour = another ? await another() : queue;
      await handIn(subject);
      const { items } = await queue.peekSpend(1);
      const answers = await Promise.all(
        Array.from({ length: 8 }, async (_, i) =>
          (i % 2 === 0 ? queue : neighbour).ackSpend(items[0]!.position, 1),
        ),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await waitingEvents(neighbour)).toEqual(three.slice(1));
      expect(await hotSpends(neighbour, [alice, team])).toEqual([110n, 10n]);
    },
  },
  ...unreadable.map((raw) => ({
    name: `a head that reads ${JSON.stringify(raw)} is reported, and set aside with what it had added`,
    async run(subject: SpendQueueUnderTest) {
      const { queue, spoil } = subject;
      await handIn(subject);
      await spoil(0, raw);
      const { items, damaged } = await queue.peekSpend(3);
      expect(items).toEqual([]);
      expect(damaged).toMatchObject({ raw });
      expect(damaged?.why).not.toBe("");
      if (damaged?.requestId !== undefined) expect(damaged.requestId).toBe("r1");
      expect(await queue.hotSpend(alice)).toBe(111n);
      expect(await queue.ackSpend(damaged!.position, 1)).toBe(true);
      expect(await hotSpends(queue, [alice, bob, team])).toEqual([110n, 0n, 10n]);
      expect(await waitingEvents(queue)).toEqual(three.slice(1));
      await ackAll(queue);
      expect(await hotSpends(queue, [alice, team])).toEqual([0n, 0n]);
    },
  })),
  {
    name: "what comes before a damaged item is shown, and what comes after is not",
    async run(subject) {
      const { queue, spoil } = subject;
      await handIn(subject);
      await spoil(1, "{");
      const { items, damaged } = await queue.peekSpend(3);
      expect(items.map(({ event }) => event)).toEqual(three.slice(0, 1));
      expect(damaged).toMatchObject({ raw: "{" });
      expect(await queue.ackSpend(damaged!.position, 1)).toBe(false);
      expect(await queue.ackSpend(items[0]!.position, 1)).toBe(true);
      expect(await queue.peekSpend(3)).toEqual({ items: [], damaged });
      expect(await queue.backlog()).toEqual({ waiting: 2, oldestAt: NOON });
    },
  },
  {
    name: "an id whose item was set aside is not taken in again",
    async run(subject) {
      const { queue, spoil } = subject;
      await queue.enqueueSpend(spend("r"), NOON);
      await spoil(0, "{");
      const { damaged } = await queue.peekSpend(1);
      await queue.ackSpend(damaged!.position, 1);
      expect(await queue.enqueueSpend(spend("r"), NOON)).toBe("known");
      expect(await queue.hotSpend(alice)).toBe(0n);
    },
  },
];
