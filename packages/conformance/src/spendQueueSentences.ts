import type { SpendEvent, SpendSubject } from "@quota/core";
import { InvalidInputError, StoreError } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { alice, bob, DAY, HOSTILE_IDS, MINUTE, MOST, NOON, spend, team } from "./sampleSpend.js";
import { ackAll, hotSpends, waitingEvents } from "./spendQueueSteps.js";
import type { SpendQueueUnderTest } from "./spendQueueUnderTest.js";

/** Every member that an event can have. */
const everything = spend("everything", {
  subjects: [
    { kind: "project", id: "p" },
    team,
    alice,
    { kind: "organisation", id: "o" },
    { kind: "user", id: "u" },
  ],
  cost: MOST,
  startedAt: NOON - 1,
  provider: "kimi",
  connectionId: "kimi-demo",
  model: "k2\u0000 \"'\\ 👩‍👩‍👧 e\u0301",
  tokens: { input: MOST, cachedInput: 0, cacheWrite: 1, output: 2, reasoning: 3 },
  outcome: "client-left",
});

const invalid: readonly (readonly [fault: string, event: SpendEvent])[] = [
  ["a cost that is no number", spend("r", { cost: Number.NaN })],
  ["an infinite cost", spend("r", { cost: Infinity })],
  ["a negative cost", spend("r", { cost: -1 })],
  ["a fraction of a nano-dollar", spend("r", { cost: 0.5 })],
  ["a cost past 2^53 − 1", spend("r", { cost: 2 ** 53 })],
  ["no subject", spend("r", { subjects: [] })],
  ["two subjects of one kind", spend("r", { subjects: [alice, bob] })],
  ["a subject without an id", spend("r", { subjects: [{ kind: "key", id: "" }] })],
  ["a subject that is not well-formed Unicode", spend("r", { subjects: [{ kind: "key", id: "\ud800" }] })],
  [
    "tokens that are no numbers",
    spend("r", { tokens: { input: Number.NaN, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 } }),
  ],
];

/** The contract of a spend queue, by example. */
export const spendQueueSentences: readonly Check<SpendQueueUnderTest>[] = [
  {
    name: "a queue in which nothing waits has nothing to show and no hot spend",
    async run({ queue }) {
      expect(await queue.peekSpend(10)).toEqual({ items: [] });
      expect(await queue.backlog()).toEqual({ waiting: 0, oldestAt: undefined });
      expect(await queue.hotSpend(alice)).toBe(0n);
      expect(await queue.hotSpendSince(alice, NOON)).toBe(0n);
      expect(await queue.ackSpend("1", 1)).toBe(false);
    },
  },
  {
    name: "what is handed in is what is shown, member by member, first in, first out",
    async run({ queue }) {
      const events = [spend("z"), everything, spend("a", { cost: "unpriced", startedAt: undefined })];
      for (const event of events) expect(await queue.enqueueSpend(event, NOON)).toBe("queued");
      expect(await waitingEvents(queue)).toEqual(events);
    },
  },
  {
    name: "members that no event has are not kept",
    async run({ queue }) {
      await queue.enqueueSpend({ ...spend("r"), secret: "hunter2" } as SpendEvent, NOON);
      const { items } = await queue.peekSpend(1);
      expect(items[0]?.event).toEqual(spend("r"));
      expect(items[0]?.raw).not.toContain("hunter2");
    },
  },
  {
    name: "an event raises the hot spend of each of its subjects by the whole cost, and nobody else's",
    async run({ queue }) {
      await queue.enqueueSpend(spend("r1", { subjects: [alice, team], cost: 7 }), NOON);
      await queue.enqueueSpend(spend("r2", { subjects: [bob, team], cost: 30 }), NOON);
      const sameId: SpendSubject = { kind: "user", id: "alice" };
      expect(await hotSpends(queue, [alice, bob, team, sameId])).toEqual([7n, 30n, 37n, 0n]);
    },
  },
  {
    name: "what is free or has no price is queued, and adds no money",
    async run({ queue }) {
      expect(await queue.enqueueSpend(spend("free", { cost: 0 }), NOON)).toBe("queued");
      expect(await queue.enqueueSpend(spend("unpriced", { cost: "unpriced" }), NOON)).toBe("queued");
      expect((await waitingEvents(queue)).map(({ cost }) => cost)).toEqual([0, "unpriced"]);
      expect(await queue.hotSpend(alice)).toBe(0n);
    },
  },
  {
    name: "an id that was handed in before changes nothing, whatever the payload",
    async run({ queue, another }) {
      const neighbour = another ? await another() : queue;
      await queue.enqueueSpend(spend("r"), NOON);
      const other = spend("r", { subjects: [bob, team], cost: 999 });
      for (const handle of [queue, neighbour]) expect(await handle.enqueueSpend(other, NOON)).toBe("known");
      expect(await waitingEvents(queue)).toEqual([spend("r")]);
      expect(await hotSpends(queue, [alice, bob, team])).toEqual([100n, 0n, 0n]);
    },
  },
  {
    name: "an id that was handed in before changes nothing after it was acknowledged, either",
    async run({ queue, another }) {
      const neighbour = another ? await another() : queue;
      await queue.enqueueSpend(spend("r"), NOON);
      await ackAll(queue);
      const other = spend("r", { subjects: [bob], cost: 999 });
      for (const handle of [queue, neighbour]) expect(await handle.enqueueSpend(other, NOON)).toBe("known");
      expect(await queue.peekSpend(1)).toEqual({ items: [] });
      expect(await hotSpends(queue, [alice, bob])).toEqual([0n, 0n]);
    },
  },
  {
    name: "requests and subjects are apart, whatever their ids are made of",
    async run({ queue }) {
      const payer = (id: string): SpendSubject => ({ kind: "user", id });
      for (const [i, id] of HOSTILE_IDS.entries()) {
        const event = spend(id, { subjects: [payer(id)], cost: i + 1, model: id });
        expect(await queue.enqueueSpend(event, NOON)).toBe("queued");
      }
      const amounts = await hotSpends(queue, HOSTILE_IDS.map(payer));
      expect(amounts).toEqual(HOSTILE_IDS.map((_, i) => BigInt(i + 1)));
      const shown = await waitingEvents(queue);
      expect(shown.map(({ requestId }) => requestId)).toEqual(HOSTILE_IDS);
      expect(shown.map(({ model }) => model)).toEqual(HOSTILE_IDS);
      await ackAll(queue);
      expect(await hotSpends(queue, HOSTILE_IDS.map(payer))).toEqual(HOSTILE_IDS.map(() => 0n));
    },
  },
  {
    name: "amounts are exact, in one event and past 2^53, and exactly 0 after everything was acknowledged",
    async run({ queue }) {
      const costs = [MOST, 1, MOST, 3, MOST - 1];
      for (const [i, cost] of costs.entries())
        await queue.enqueueSpend(spend(`r${String(i)}`, { cost, startedAt: NOON + i * MINUTE }), NOON);
      expect(await queue.hotSpend(alice)).toBe(3n * BigInt(MOST) + 3n);
      expect(await queue.hotSpendSince(alice, NOON)).toBe(3n * BigInt(MOST) + 3n);
      const { items } = await queue.peekSpend(3);
      expect(await queue.ackSpend(items[0]!.position, 3)).toBe(true);
      expect(await queue.hotSpend(alice)).toBe(BigInt(MOST) + 2n);
      await ackAll(queue);
      expect(await queue.hotSpend(alice)).toBe(0n);
      expect(await queue.hotSpendSince(alice, NOON)).toBe(0n);
    },
  },
  {
    name: "what started in an older period is left out, and what does not say when is not",
    async run({ queue }) {
      const times = [NOON - DAY, NOON - 1, NOON, NOON + MINUTE - 1, NOON + MINUTE, undefined];
      for (const [i, startedAt] of times.entries())
        await queue.enqueueSpend(spend(`r${String(i)}`, { startedAt, cost: 10 ** i }), NOON);
      const since = async (at: number): Promise<bigint> => queue.hotSpendSince(alice, at);
      expect(await since(NOON - DAY)).toBe(111_111n);
      expect(await since(NOON - MINUTE)).toBe(111_110n);
      expect(await since(NOON)).toBe(111_100n);
      expect(await since(NOON + MINUTE)).toBe(110_000n);
      expect(await since(NOON + DAY)).toBe(100_000n);
      expect(await queue.hotSpendSince(bob, NOON)).toBe(0n);
      const { items } = await queue.peekSpend(3);
      await queue.ackSpend(items[0]!.position, 3);
      expect(await since(NOON - DAY)).toBe(111_000n);
      await ackAll(queue);
      expect(await since(NOON - DAY)).toBe(0n);
    },
  },
  ...invalid.map(([fault, event]) => ({
    name: `an event with ${fault} is refused, and nothing of it is written`,
    async run({ queue }: SpendQueueUnderTest) {
      const error: unknown = await queue.enqueueSpend(event, NOON).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidInputError);
      expect((error as InvalidInputError).faults).not.toHaveLength(0);
      expect(await queue.backlog()).toEqual({ waiting: 0, oldestAt: undefined });
      expect(await hotSpends(queue, [alice, bob])).toEqual([0n, 0n]);
      expect(await queue.enqueueSpend(spend("r"), NOON)).toBe("queued");
    },
  })),
  {
    name: "the backlog tells how many wait, and when the oldest was handed in",
    async run({ queue }) {
      for (const i of [0, 1, 2]) await queue.enqueueSpend(spend(`r${String(i)}`), NOON + i);
      expect(await queue.backlog()).toEqual({ waiting: 3, oldestAt: NOON });
      const { items } = await queue.peekSpend(1);
      await queue.ackSpend(items[0]!.position, 1);
      expect(await queue.backlog()).toEqual({ waiting: 2, oldestAt: NOON + 1 });
      await ackAll(queue);
      expect(await queue.backlog()).toEqual({ waiting: 0, oldestAt: undefined });
    },
  },
  {
    name: "only ids that were acknowledged are forgotten, and only those from before the moment",
    async run({ queue, forgets = "when asked" }) {
      for (const id of ["gone", "waits"]) await queue.enqueueSpend(spend(id), NOON);
      const { items } = await queue.peekSpend(1);
      await queue.ackSpend(items[0]!.position, 1);
      expect(await queue.forgetAcknowledged(0)).toBe(0);
      expect(await queue.enqueueSpend(spend("gone"), NOON)).toBe("known");
      const asked = forgets === "when asked";
      expect(await queue.forgetAcknowledged(NOON + 36_500 * DAY)).toBe(asked ? 1 : 0);
      expect(await queue.enqueueSpend(spend("waits"), NOON)).toBe("known");
      expect(await queue.enqueueSpend(spend("gone"), NOON)).toBe(asked ? "queued" : "known");
    },
  },
  {
    name: "closing twice is closing once, and what comes after is rejected with a StoreError",
    async run({ queue }) {
      await queue.enqueueSpend(spend("r"), NOON);
      await queue.close();
      await queue.close();
      for (const ask of [
        async () => queue.enqueueSpend(spend("s"), NOON),
        async () => queue.peekSpend(1),
        async () => queue.ackSpend("1", 1),
        async () => queue.hotSpend(alice),
        async () => queue.hotSpendSince(alice, NOON),
        async () => queue.backlog(),
        async () => queue.forgetAcknowledged(NOON),
      ])
        await expect(ask()).rejects.toBeInstanceOf(StoreError);
    },
  },
];
