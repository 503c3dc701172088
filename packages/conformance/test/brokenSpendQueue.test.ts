import { spendQueueChecks, type SpendQueueUnderTest } from "@quota/conformance";
import type { SpendEvent, SpendSubject } from "@quota/core";
import { createMemorySpendQueue, type MemorySpendQueue, type SpendQueue } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { stopAtFirstFailure } from "./stopAtFirstFailure.js";
import { TEXT_MISHAPS } from "./textMishaps.js";

const HISTORIES = "random histories over two handles agree with a plain list";
const CROWD =
  "while three hand in and three flush, everything reaches the ledger once, in its order, and nothing stays hot";
const ORDER = "what is handed in is what is shown, member by member, first in, first out";
const PAYERS = "an event raises the hot spend of each of its subjects by the whole cost, and nobody else's";
const REPEAT = "an id that was handed in before changes nothing, whatever the payload";
const REPEAT_ACKED = "an id that was handed in before changes nothing after it was acknowledged, either";
const AT_ONCE = "of 40 that hand in one id at once with different payloads, one is queued, whole";
const APART = "requests and subjects are apart, whatever their ids are made of";
const EXACT =
  "amounts are exact, in one event and past 2^53, and exactly 0 after everything was acknowledged";
const SINCE = "what started in an older period is left out, and what does not say when is not";
const FREE = "what is free or has no price is queued, and adds no money";
const BACKLOG = "the backlog tells how many wait, and when the oldest was handed in";
const FORGET = "only ids that were acknowledged are forgotten, and only those from before the moment";
const CLOSE = "closing twice is closing once, and what comes after is rejected with a StoreError";
const LOOKING = "looking takes nothing out, and shows at most what was asked for";
const ACK = "an acknowledgement takes out the first ones, with what they had added, and leaves the rest";
const STALE = "an acknowledgement of a head that is none any more, or not yet, does nothing";
const POSITION = "a position is never another item's, not even after the queue was empty";
const EIGHT = "of eight that acknowledge the same head at once, one does";
const DAMAGED = 'a head that reads "{" is reported, and set aside with what it had added';
const NOT_COUNTED = 'a head that reads "{}" is reported, and set aside with what it had added';
const BEHIND = "what comes before a damaged item is shown, and what comes after is not";
const SET_ASIDE = "an id whose item was set aside is not taken in again";
const NAN = "an event with a cost that is no number is refused, and nothing of it is written";
const NEGATIVE = "an event with a negative cost is refused, and nothing of it is written";

type Change = (queue: MemorySpendQueue) => Partial<SpendQueue>;

const faults: readonly (readonly [fault: string, change: Change, caughtBy: readonly string[]])[] = [
  [
    "forgets an id with its acknowledgement",
    (queue) => ({
      ackSpend: async (head, count) => {
        const taken = await queue.ackSpend(head, count);
        await queue.forgetAcknowledged(Infinity);
        return taken;
      },
    }),
    [REPEAT_ACKED, SET_ASIDE, HISTORIES],
  ],
  [
    "keeps the last payload of an id",
    (queue) => ({
      enqueueSpend: async (event, now) => {
        const { items } = await queue.peekSpend(1_000);
        const index = items.findIndex((item) => item.event.requestId === event.requestId);
        if (index !== -1) queue.spoil(index, JSON.stringify(event));
        return queue.enqueueSpend(event, now);
      },
    }),
    [REPEAT, HISTORIES],
  ],
  [
    "queues an id again",
    (queue) => ({
      enqueueSpend: async (event, now) => {
        const answer = await queue.enqueueSpend(event, now);
        if (answer === "known")
          await queue.enqueueSpend({ ...event, requestId: `${event.requestId} again` }, now);
        return answer;
      },
    }),
    [REPEAT, REPEAT_ACKED, HISTORIES, CROWD],
  ],
  ["looks whether it knows an id, waits, and then queues", racingIn, [AT_ONCE]],
  [
    "does not look at the head that is acknowledged",
    (queue) => ({ ackSpend: async (_, count) => ackFirst(queue, count) }),
    [STALE, POSITION, EIGHT, CROWD, HISTORIES],
  ],
  [
    "looks at the head, waits, and then takes out what is there",
    (queue) => ({
      ackSpend: async (head, count) => {
        const now = await queue.peekSpend(1);
        if ((now.items[0] ?? now.damaged)?.position !== head) return false;
        return ackFirst(queue, count);
      },
    }),
    [EIGHT, CROWD],
  ],
  [
    "counts its positions from the head",
    (queue) => ({
      peekSpend: async (count) => {
        const { items } = await queue.peekSpend(count);
        return { items: items.map((item, i) => ({ ...item, position: String(i) })) };
      },
      ackSpend: async (head, count) => (head === "0" ? ackFirst(queue, count) : false),
    }),
    [STALE, POSITION, HISTORIES],
  ],
  [
    "takes out one",
    (queue) => ({ ackSpend: async (head) => queue.ackSpend(head, 1) }),
    [ACK, EXACT, HISTORIES],
  ],
  [
    "takes out what it shows",
    (queue) => ({
      peekSpend: async (count) => {
        const seen = await queue.peekSpend(count);
        await ackFirst(queue, seen.items.length);
        return seen;
      },
    }),
    [LOOKING],
  ],
  ["shows everything", (queue) => ({ peekSpend: async () => queue.peekSpend(1_000) }), [LOOKING, HISTORIES]],
  [
    "shows the newest first",
    (queue) => ({
      peekSpend: async (count) => {
        const { items, ...rest } = await queue.peekSpend(count);
        return { items: items.toReversed(), ...rest };
      },
    }),
    [ORDER, HISTORIES],
  ],
  ["skips what is damaged", skipping, [DAMAGED, BEHIND]],
  [
    "stops at what is damaged without a word",
    (queue) => ({ peekSpend: async (count) => ({ items: (await queue.peekSpend(count)).items }) }),
    [DAMAGED, NOT_COUNTED, BEHIND],
  ],
  ["lowers the hot spend by what it can read", readingAmounts, [DAMAGED, HISTORIES]],
  [
    "counts in doubles",
    (queue) => ({ hotSpend: async (subject) => BigInt(Number(await queue.hotSpend(subject))) }),
    [EXACT],
  ],
  [
    "takes no event for free",
    (queue) => ({
      enqueueSpend: async (event, now) =>
        queue.enqueueSpend(
          { ...event, cost: event.cost === "unpriced" || event.cost === 0 ? 1 : event.cost },
          now,
        ),
    }),
    [FREE, HISTORIES],
  ],
  [
    "does not queue what costs nothing",
    (queue) => ({
      enqueueSpend: async (event, now) =>
        event.cost === 0 || event.cost === "unpriced" ? "queued" : queue.enqueueSpend(event, now),
    }),
    [FREE, HISTORIES],
  ],
  [
    "counts the first subject only",
    (queue) => ({
      enqueueSpend: async (event, now) =>
        queue.enqueueSpend({ ...event, subjects: event.subjects.slice(0, 1) }, now),
    }),
    [PAYERS, HISTORIES],
  ],
  [
    "forgets what kind a subject is of",
    (queue) => ({
      hotSpend: async ({ id }) => {
        const kinds = ["key", "team", "user", "organisation", "project"] as const;
        const amounts = await Promise.all(kinds.map(async (kind) => queue.hotSpend({ kind, id })));
        return amounts.reduce((sum, amount) => sum + amount, 0n);
      },
    }),
    [PAYERS],
  ],
  ["knows no periods", (queue) => ({ hotSpendSince: async (subject) => queue.hotSpend(subject) }), [SINCE]],
  ...[60_000, -60_000].map(
    (by) =>
      [
        `is a minute off, by ${String(by)} ms`,
        (queue: MemorySpendQueue): Partial<SpendQueue> => ({
          hotSpendSince: async (subject, start) => queue.hotSpendSince(subject, start + by),
        }),
        [SINCE, HISTORIES],
      ] as const,
  ),
  [
    "leaves out what does not say when it started",
    (queue) => ({
      enqueueSpend: async (event, now) =>
        queue.enqueueSpend({ ...event, startedAt: event.startedAt ?? 0 }, now),
    }),
    [SINCE, HISTORIES],
  ],
  [
    "mends what is no event",
    (queue) => ({
      enqueueSpend: async (event, now) =>
        queue.enqueueSpend(
          { ...event, cost: event.cost === "unpriced" ? "unpriced" : Math.max(0, event.cost || 0) },
          now,
        ),
    }),
    [NAN, NEGATIVE],
  ],
  [
    "tells of a fault with an error of another kind",
    (queue) => ({
      enqueueSpend: async (event, now) =>
        queue.enqueueSpend(event, now).catch((cause: unknown) => {
          throw new TypeError("failed", { cause });
        }),
    }),
    [NAN, CLOSE],
  ],
  [
    "tells when the newest was handed in",
    (queue) => {
      let newest = 0;
      return {
        enqueueSpend: async (event, now) => {
          newest = now;
          return queue.enqueueSpend(event, now);
        },
        backlog: async () => {
          const { waiting, oldestAt } = await queue.backlog();
          return { waiting, oldestAt: oldestAt && newest };
        },
      };
    },
    [BACKLOG],
  ],
  [
    "forgets every acknowledged id when asked",
    (queue) => ({ forgetAcknowledged: async () => queue.forgetAcknowledged(Infinity) }),
    [FORGET],
  ],
  ["forgets no id", () => ({ forgetAcknowledged: async () => 0 }), [FORGET]],
  ["answers after it was closed", () => ({ close: async () => undefined }), [CLOSE]],
  ...TEXT_MISHAPS.map(
    ([mishap, change]) =>
      [
        mishap,
        (queue: MemorySpendQueue) =>
          onChangedSubjects(queue, ({ kind, id }) => ({ kind, id: change(id) || "-" })),
        [APART],
      ] as const,
  ),
];

describe("a queue is caught that", () => {
  stopAtFirstFailure({ seed: 7 });

  const cases = faults.flatMap(([fault, change, caughtBy]) =>
    caughtBy.map((name) => [fault, name, change] as const),
  );

  test.each(cases)("%s — by: %s", { timeout: 60_000 }, async (_, name, change) => {
    await expectCaught(name, sharing(change));
  });

  test("gives every handle a queue of its own", async () => {
    for (const name of [REPEAT, EIGHT, HISTORIES]) {
      const own = sharing(() => ({}));
      await expectCaught(name, { ...own, another: async () => createMemorySpendQueue() });
    }
  });
});

test("an honest queue passes over two handles", { timeout: 60_000 }, async () => {
  for (const { run } of spendQueueChecks) await run(sharing(() => ({})));
});

async function expectCaught(name: string, subject: SpendQueueUnderTest): Promise<void> {
  const check = spendQueueChecks.find((each) => each.name === name);
  expect(check, `there is no check named ${name}`).toBeDefined();
  await expect(check?.run(subject)).rejects.toThrow();
}

/** Two handles on one queue, each changed in the same way. */
function sharing(change: Change): SpendQueueUnderTest {
  const inner = createMemorySpendQueue();
  const changed = (): SpendQueue => ({ ...inner, ...change(inner) });
  return {
    queue: changed(),
    another: async () => changed(),
    spoil: async (index, raw) => inner.spoil(index, raw),
    dispose: () => inner.close(),
  };
}

/** Takes out what is at the head, whatever that is when it comes to it. */
async function ackFirst(queue: MemorySpendQueue, count: number): Promise<boolean> {
  for (;;) {
    const { items, damaged } = await queue.peekSpend(1);
    const head = items[0] ?? damaged;
    if (head === undefined) return false;
    if (await queue.ackSpend(head.position, count)) return true;
  }
}

function racingIn(queue: MemorySpendQueue): Partial<SpendQueue> {
  const known = new Set<string>();
  return {
    enqueueSpend: async (event, now) => {
      if (known.has(event.requestId)) return "known";
      await Promise.resolve();
      known.add(event.requestId);
      return queue.enqueueSpend({ ...event, requestId: `${event.requestId} ${String(event.cost)}` }, now);
    },
  };
}

function skipping(queue: MemorySpendQueue): Partial<SpendQueue> {
  return {
    peekSpend: async (count) => {
      for (;;) {
        const { items, damaged } = await queue.peekSpend(count);
        if (items.length > 0 || damaged === undefined) return { items };
        await queue.ackSpend(damaged.position, 1);
      }
    },
  };
}

/** What cannot be read when it is taken out stays in the hot spend. */
function readingAmounts(queue: MemorySpendQueue): Partial<SpendQueue> {
  const events = new Map<string, SpendEvent>();
  const stuck: SpendEvent[] = [];
  return {
    enqueueSpend: async (event, now) => {
      events.set(event.requestId, event);
      return queue.enqueueSpend(event, now);
    },
    ackSpend: async (head, count) => {
      const { damaged } = await queue.peekSpend(1);
      const taken = await queue.ackSpend(head, count);
      const event = events.get(damaged?.requestId ?? "");
      if (taken && event !== undefined) stuck.push(event);
      return taken;
    },
    hotSpend: async (subject) =>
      stuck
        .filter(({ subjects, cost }) => cost !== "unpriced" && subjects.some(({ id }) => id === subject.id))
        .reduce((sum, { cost }) => sum + BigInt(cost), await queue.hotSpend(subject)),
  };
}

function onChangedSubjects(
  queue: MemorySpendQueue,
  change: (subject: SpendSubject) => SpendSubject,
): Partial<SpendQueue> {
  return {
    enqueueSpend: async (event, now) =>
      queue.enqueueSpend({ ...event, subjects: event.subjects.map(change) }, now),
    hotSpend: async (subject) => queue.hotSpend(change(subject)),
  };
}
