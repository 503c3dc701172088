import type { SpendEvent } from "@quota/core";
import { createMemorySpendQueue, InvalidInputError, StoreError, type SpendQueue } from "@quota/engine";
import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSpendIntake } from "../server/spend/createSpendIntake.js";

// Its waits are real ones, of seconds.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NOON = Date.UTC(2026, 0, 15, 12);

function eventOf(requestId: string): SpendEvent {
  const subjects = [{ kind: "key", id: "alice" }] as const;
  return { requestId, subjects, cost: 7, startedAt: NOON, endedAt: NOON, outcome: "answered" };
}

/** An intake before a queue whose way in is `enqueue`, given the honest one. */
function setUp(
  enqueue: (honest: SpendQueue["enqueueSpend"]) => SpendQueue["enqueueSpend"],
  level: "error" | "warn" = "error",
) {
  const queue = createMemorySpendQueue();
  const logged: string[] = [];
  const answered: string[] = [];
  const intake = createSpendIntake({
    queue: { enqueueSpend: enqueue((event, now) => queue.enqueueSpend(event, now)) },
    onQueued: () => undefined,
    now: () => NOON,
    log: pino({ level }, { write: (line) => void logged.push(line) }),
  });
  return {
    intake,
    logged,
    answered,
    take: (id: string) => intake.take(eventOf(id), async () => void answered.push(id)),
    waiting: async () => (await queue.peekSpend(100)).items.map(({ event }) => event.requestId),
  };
}

/** A queue that is away for so many tries. */
const awayFor = (times: number) => (honest: SpendQueue["enqueueSpend"]) => {
  let left = times;
  return async (event: SpendEvent, now: number) => {
    left -= 1;
    if (left >= 0) throw new StoreError("The queue is away.", { applied: "no" });
    return honest(event, now);
  };
};

test("an event is in the queue when it is taken, and its budgets were told", async () => {
  const { intake, take, waiting, answered } = setUp((honest) => honest);
  await take("a");
  expect(await waiting()).toEqual(["a"]);
  expect(answered).toEqual(["a"]);
  expect(intake.status()).toMatchObject({ taken: { answered: 1 }, kept: 0, failures: 0 });
});

test("what the queue does not take is kept and tried again, and what comes meanwhile goes behind it", async () => {
  const { intake, take, waiting } = setUp(awayFor(2));
  await take("a");
  await take("b");
  expect(intake.status()).toMatchObject({ taken: { answered: 0 }, kept: 2, failures: 1 });
  await vi.advanceTimersByTimeAsync(250);
  expect(intake.status()).toMatchObject({ kept: 2, failures: 2 });
  await take("c");
  await vi.advanceTimersByTimeAsync(500);
  expect(await waiting()).toEqual(["a", "b", "c"]);
  expect(intake.status()).toMatchObject({ taken: { answered: 3 }, kept: 0, failures: 2 });
  await take("d");
  expect(await waiting()).toEqual(["a", "b", "c", "d"]);
});

test("what is kept is in the log, whole, since a process that is killed writes nothing any more", async () => {
  const { take, logged } = setUp(awayFor(9), "warn");
  await take("a");
  await take("b");
  const events = logged.map((line) => (JSON.parse(line) as { readonly event?: SpendEvent }).event);
  expect(events.filter((event) => event !== undefined)).toEqual([eventOf("a"), eventOf("b")]);
});

test("an event that no queue takes goes to the log, and none waits behind it", async () => {
  const { intake, take, waiting, logged } = setUp((honest) => {
    const away = awayFor(1)(honest);
    return async (event, now) => {
      if (event.requestId !== "bad") return away(event, now);
      throw new InvalidInputError([
        { path: "endedAt", code: "not-a-whole-number", message: "endedAt is none." },
      ]);
    };
  });
  await take("bad");
  await take("a");
  await take("bad");
  await take("b");
  await vi.advanceTimersByTimeAsync(250);
  expect(await waiting()).toEqual(["a", "b"]);
  expect(intake.status()).toMatchObject({ kept: 0 });
  expect(logged.filter((line) => line.includes('"requestId":"bad"'))).toHaveLength(2);
});

test("no answer waits longer than two seconds for a queue that does not answer, and the event is not lost", async () => {
  let comesBack: (() => void) | undefined;
  const { intake, take, waiting } = setUp((honest) => async (event, now) => {
    await new Promise<void>((resolve) => (comesBack = resolve));
    return honest(event, now);
  });
  let isTaken = false;
  const taken = take("a").then(() => (isTaken = true));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(isTaken).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isTaken).toBe(true);
  await taken;
  comesBack!();
  await intake.close();
  expect(await waiting()).toEqual(["a"]);
});

test("a queue that fails after the answer has left still gets the event", async () => {
  let fail: ((error: Error) => void) | undefined;
  let times = 0;
  const { intake, take, waiting } = setUp((honest) => async (event, now) => {
    times += 1;
    if (times === 1) await new Promise<void>((_resolve, reject) => (fail = reject));
    return honest(event, now);
  });
  const taken = take("a");
  await vi.advanceTimersByTimeAsync(2_000);
  await taken;
  fail!(new StoreError("The queue is away.", { applied: "unknown" }));
  await vi.advanceTimersByTimeAsync(250);
  expect(await waiting()).toEqual(["a"]);
  expect(intake.status()).toMatchObject({ kept: 0, failures: 1 });
});

test("budgets that cannot be told keep no event from the queue", async () => {
  const { intake, waiting } = setUp((honest) => honest);
  await intake.take(eventOf("a"), () => Promise.reject(new StoreError("Away.", { applied: "no" })));
  expect(await waiting()).toEqual(["a"]);
});

test("the end tries what is kept once more, and writes to the log what is left, event by event", async () => {
  const saved = setUp(awayFor(1));
  await saved.take("a");
  await saved.take("b");
  await saved.intake.close();
  expect(await saved.waiting()).toEqual(["a", "b"]);
  expect(saved.logged).toEqual([]);

  const lost = setUp(awayFor(100));
  await lost.take("a");
  await lost.take("b");
  await lost.intake.close();
  expect(lost.logged.map((line) => (JSON.parse(line) as { event: SpendEvent }).event.requestId)).toEqual([
    "a",
    "b",
  ]);
});

test("an end in the middle of a try takes no event for handed in that was not", async () => {
  let goOn: (() => void) | undefined;
  const isBack = new Promise<void>((resolve) => (goOn = resolve));
  const failures = new Set(["a", "b"]);
  const { intake, take, waiting } = setUp((honest) => async (event, now) => {
    if (failures.delete(event.requestId)) throw new StoreError("The queue is away.", { applied: "no" });
    await isBack;
    return honest(event, now);
  });
  await take("a");
  await take("b");
  await vi.advanceTimersByTimeAsync(250);
  const closed = intake.close();
  await vi.advanceTimersByTimeAsync(0);
  goOn!();
  await closed;
  expect(await waiting()).toEqual(["a", "b"]);
});

test("what the queue does not take, or not within a second, is in the spare one before its answer is complete", async () => {
  const spare = createMemorySpendQueue();
  const queue = createMemorySpendQueue();
  let mood: "away" | "silent" | "well" = "away";
  const intake = createSpendIntake({
    queue: {
      enqueueSpend(event, now) {
        if (mood === "well") return queue.enqueueSpend(event, now);
        if (mood === "silent") return new Promise(() => undefined);
        return Promise.reject(new StoreError("Away.", { applied: "unknown" }));
      },
    },
    onQueued: () => undefined,
    spare: { queue: spare, onQueued: () => undefined },
    now: () => NOON,
    log: pino({ level: "silent" }),
  });
  const take = (id: string) => intake.take(eventOf(id), () => Promise.resolve());
  const idsIn = async (each: SpendQueue) =>
    (await each.peekSpend(100)).items.map(({ event }) => event.requestId);

  await take("refused");
  mood = "well";
  await take("while it rests");
  expect(await idsIn(spare)).toEqual(["refused", "while it rests"]);
  expect(intake.status()).toMatchObject({ taken: { answered: 2 }, failures: 1, spared: 2, kept: 0 });

  await vi.advanceTimersByTimeAsync(1_000);
  await take("well again");
  mood = "silent";
  const taken = take("unanswered");
  await vi.advanceTimersByTimeAsync(1_000);
  await taken;
  expect(await idsIn(queue)).toEqual(["well again"]);
  expect(await idsIn(spare)).toEqual(["refused", "while it rests", "unanswered"]);
});
