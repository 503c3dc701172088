import type { SpendEvent, SpendSubject } from "@quota/core";
import {
  createMemorySpendBooks,
  createMemorySpendQueue,
  startSpendFlusher,
  StoreError,
  type SpendFlusherOptions,
  type SpendLedger,
  type SpendQueue,
} from "@quota/engine";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const START = Date.UTC(2026, 2, 10, 12);
const ALICE: SpendSubject = { kind: "key", id: "alice" };
const TEAM: SpendSubject = { kind: "team", id: "blue" };

const event = (requestId: string, cost: number | "unpriced" = 1): SpendEvent => ({
  requestId,
  subjects: [ALICE, TEAM],
  cost,
  startedAt: START,
  endedAt: START + 1,
  outcome: "answered",
});

const away = (): never => {
  throw new StoreError("away", { applied: "no" });
};

function setup(options: Partial<SpendFlusherOptions> = {}) {
  const queue = createMemorySpendQueue();
  const { ledger } = createMemorySpendBooks();
  const calls: string[] = [];
  const warned: { readonly message: string; readonly position?: unknown }[] = [];
  let fails = false;
  const told =
    <Given extends readonly unknown[], Answer>(name: string, work: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      calls.push(name);
      if (fails) away();
      return work(...given);
    };
  const parts = {
    queue: { peekSpend: told("peek", queue.peekSpend), ackSpend: told("ack", queue.ackSpend) },
    ledger: {
      commit: told("commit", ledger.commit),
      keepDeadLetter: told("keep", ledger.keepDeadLetter),
    },
    clock: { now: () => START },
    logger: {
      warn: (entry: Readonly<Record<string, unknown>>, message: string) =>
        void warned.push({ message, position: entry["position"] }),
    },
    random: () => 1,
    ...options,
  };
  const start = () => startSpendFlusher(parts);
  return {
    queue,
    ledger,
    calls,
    warned,
    start,
    fail: (how: boolean) => void (fails = how),
    enqueue: async (...events: readonly SpendEvent[]) => {
      for (const each of events) await queue.enqueueSpend(each, START);
    },
    books: async () => [await ledger.total(ALICE), await queue.hotSpend(ALICE)],
    /** What was called since the last time. */
    since: () => calls.splice(0),
  };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test.each([0, 5001, Number.NaN])("a flusher takes no %s events at once", (batch) => {
  const invalid = expect.objectContaining({ name: "QuotaConfigError", field: "batch" }) as Error;
  expect(setup({ batch }).start).toThrow(invalid);
});

describe("a flusher carries events to the ledger", () => {
  test("by itself when it starts: peek, commit, acknowledge", async () => {
    const { enqueue, start, since, books } = setup();
    await enqueue(event("a", 3), event("b", 4), event("c", "unpriced"));
    const flusher = start();
    await pass(0);
    expect(since()).toEqual(["peek", "commit", "ack"]);
    expect(await books()).toEqual([7n, 0n]);
    expect(flusher.status()).toEqual({
      state: "idle",
      stoppedAt: undefined,
      failure: undefined,
      added: 3,
      known: 0,
      drainedAt: START,
    });
  });

  test("in full batches, one after the other, oldest first", async () => {
    const { enqueue, start, books, ledger, calls } = setup({ batch: 10 });
    await enqueue(...Array.from({ length: 25 }, (_, i) => event(String(i))));
    expect(await start().flush()).toBe("drained");
    expect(calls.filter((call) => call === "commit")).toHaveLength(3);
    expect(await books()).toEqual([25n, 0n]);
    expect(await ledger.total(TEAM)).toBe(25n);
  });

  test("and looks no more than once a second when nothing is handed in", async () => {
    const { start, since } = setup();
    start();
    await pass(600_000);
    expect(since()).toEqual(Array.from({ length: 601 }, () => "peek"));
  });

  test("and finds within a second what others have handed in", async () => {
    const { enqueue, start, books } = setup();
    start();
    await pass(500);
    await enqueue(event("a"));
    await pass(500);
    expect(await books()).toEqual([1n, 0n]);
  });

  test("and soon what it is kicked for, all that comes meanwhile together", async () => {
    const { enqueue, start, since, books } = setup();
    const flusher = start();
    await pass(0);
    since();
    for (let i = 0; i < 100; i += 1) {
      await enqueue(event(String(i)));
      flusher.kick();
    }
    await pass(20);
    expect(since()).toEqual(["peek", "commit", "ack"]);
    expect(await books()).toEqual([100n, 0n]);
    await pass(999);
    expect(since()).toEqual([]);
  });

  test("and looks again for what it was kicked for while it was at work", async () => {
    const { enqueue, start, since, books, queue } = setup({
      ledger: { commit: async () => ({ added: 0, known: 0 }), keepDeadLetter: async () => undefined },
    });
    await enqueue(event("a"));
    const flusher = start();
    await enqueue(event("b"));
    flusher.kick();
    await pass(20);
    expect(since()).toEqual(["peek", "ack", "peek", "ack"]);
    expect(await books()).toEqual([0n, 0n]);
    expect(await queue.backlog()).toMatchObject({ waiting: 0 });
  });

  test("and says how many it had carried before", async () => {
    const { enqueue, start, ledger, books } = setup();
    await enqueue(event("a"), event("b"));
    await ledger.commit([event("a")], START);
    const flusher = start();
    await flusher.flush();
    expect(flusher.status()).toMatchObject({ added: 1, known: 1 });
    expect(await books()).toEqual([2n, 0n]);
  });

  test.each<Partial<SpendFlusherOptions>>([{ batch: 0 }, { batch: NaN }, { idleMs: 999 }, { idleMs: 1e10 }])(
    "and takes no such option: %o",
    (options) => {
      expect(() => setup(options).start()).toThrow(
        expect.objectContaining({ name: "QuotaConfigError", field: Object.keys(options)[0] }),
      );
    },
  );
});

describe("a flusher that fails", () => {
  test("leaves the queue as it was, waits longer each time, up to 30 s, and goes on by itself", async () => {
    const { enqueue, start, since, fail, books, warned } = setup();
    await enqueue(event("a"));
    fail(true);
    const flusher = start();
    await pass(0);
    for (const wait of [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      expect(since()).toEqual(["peek"]);
      await pass(wait - 1);
      expect(since()).toEqual([]);
      await pass(1);
    }
    expect(flusher.status()).toMatchObject({ state: "failing", failure: { at: START, inARow: 10 } });
    expect(warned).toHaveLength(10);
    expect(await books()).toEqual([0n, 1n]);
    fail(false);
    await pass(30_000);
    expect(await books()).toEqual([1n, 0n]);
    expect(flusher.status()).toMatchObject({ state: "idle", failure: undefined });
  });

  test("is not hurried by what is handed in, but by whoever asks it to", async () => {
    const { enqueue, start, since, fail } = setup();
    fail(true);
    const flusher = start();
    await pass(0);
    since();
    await enqueue(event("a"));
    flusher.kick();
    await pass(249);
    expect(since()).toEqual([]);
    expect(await flusher.flush()).toBe("failed");
    fail(false);
    expect(await flusher.flush()).toBe("drained");
  });

  test("is spread over half of the wait", async () => {
    const { start, since, fail } = setup({ random: () => 0 });
    fail(true);
    start();
    await pass(125);
    expect(since()).toEqual(["peek", "peek"]);
  });

  test("stops when it is told to, after the batch that is under way", async () => {
    const { enqueue, start, since, books } = setup({ batch: 1 });
    await enqueue(event("a"), event("b"));
    const flusher = start();
    await flusher.stop();
    expect(since()).toEqual(["peek", "commit", "ack"]);
    expect(await books()).toEqual([1n, 1n]);
    flusher.kick();
    await pass(100_000);
    expect(await flusher.flush()).toBe("stopped");
    expect(flusher.status().state).toBe("stopped");
    expect(vi.getTimerCount()).toBe(0);
    expect(since()).toEqual([]);
  });
});

describe("a damaged head", () => {
  async function damaged() {
    const all = setup();
    await all.enqueue(event("a", 1), event("b", 2), event("c", 4));
    all.queue.spoil(1, "{");
    return all;
  }

  test("stops the flusher after what was before it, which says so once and looks again every 5 s", async () => {
    const { start, since, books, warned } = await damaged();
    const flusher = start();
    expect(await flusher.flush()).toBe("damaged");
    expect(await books()).toEqual([1n, 6n]);
    const { position } = flusher.status().stoppedAt!;
    expect(flusher.status()).toMatchObject({
      state: "damaged",
      failure: undefined,
      stoppedAt: { requestId: "b", raw: "{", why: expect.stringContaining("JSON") },
    });
    since();
    flusher.kick();
    await pass(15_000);
    expect(since()).toEqual(["peek", "peek", "peek"]);
    expect(warned).toEqual([{ message: expect.stringContaining("damaged"), position }]);
  });

  test("is set aside by an operator, with the reason, and the rest goes on at once", async () => {
    const { start, books, ledger } = await damaged();
    const flusher = start();
    await flusher.flush();
    const { position, why } = flusher.status().stoppedAt!;
    expect(await flusher.quarantine(position, "disk")).toBe(true);
    await pass(0);
    expect(await books()).toEqual([5n, 0n]);
    expect(await ledger.deadLetters()).toMatchObject([
      { raw: "{", why: `${why} Set aside: disk`, requestId: "b", state: "open" },
    ]);
    expect(flusher.status()).toMatchObject({ state: "idle", stoppedAt: undefined });
    expect(await flusher.quarantine(position)).toBe(false);
  });

  test("that was set aside elsewhere holds up nobody for longer than 5 s", async () => {
    const { start, books } = await damaged();
    const flusher = start();
    const other = start();
    await flusher.flush();
    await other.flush();
    await other.quarantine(other.status().stoppedAt!.position);
    await other.stop();
    await pass(5000);
    expect(await books()).toEqual([5n, 0n]);
    expect(flusher.status().stoppedAt).toBeUndefined();
  });

  test("is kept once, when the one who set it aside died before it was out of the queue", async () => {
    const { start, ledger, queue } = await damaged();
    const flusher = start();
    await flusher.flush();
    const { damaged: found } = await queue.peekSpend(1);
    await ledger.keepDeadLetter(found!, START);
    expect(await flusher.quarantine(found!.position)).toBe(true);
    expect(await ledger.deadLetters()).toHaveLength(1);
  });

  test("must be damaged, and the head: what can be read is never set aside", async () => {
    const { start, enqueue, queue, books, fail } = setup();
    await enqueue(event("a"));
    fail(true);
    const flusher = start();
    await pass(0);
    fail(false);
    const { items } = await queue.peekSpend(1);
    expect(await flusher.quarantine(items[0]!.position)).toBe(false);
    queue.spoil(0, "{");
    expect(await flusher.quarantine("another")).toBe(false);
    expect(await books()).toEqual([0n, 1n]);
  });
});

/** A process that dies when it has been asked so often: before that work was done, or after. It never answers again. */
function mortal(
  parts: { readonly queue: SpendQueue; readonly ledger: SpendLedger },
  death: { readonly after: number; readonly done: boolean },
) {
  let left = death.after;
  let died: () => void = () => undefined;
  const dead = new Promise<void>((resolve) => (died = resolve));
  const until =
    <Given extends readonly unknown[], Answer>(work: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      left -= 1;
      if (left > 0) return work(...given);
      if (left === 0 && death.done) await work(...given);
      died();
      return new Promise<never>(() => undefined);
    };
  return {
    dead,
    queue: { peekSpend: until(parts.queue.peekSpend), ackSpend: until(parts.queue.ackSpend) },
    ledger: {
      commit: until(parts.ledger.commit),
      keepDeadLetter: until(parts.ledger.keepDeadLetter),
    },
  };
}

const costs = fc.array(fc.oneof(fc.nat(1000), fc.constant("unpriced" as const)), {
  minLength: 1,
  maxLength: 12,
});
const sum = (events: readonly SpendEvent[]): bigint =>
  events.reduce((total, { cost }) => total + (cost === "unpriced" ? 0n : BigInt(cost)), 0n);

test("property: whoever dies wherever, each event is in the ledger once in the end, and nothing is hot", async () => {
  const death = fc.record({ after: fc.integer({ min: 1, max: 8 }), done: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      costs,
      fc.array(death, { maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (all, deaths, batch) => {
        const { queue, ledger, enqueue, books } = setup();
        const events = all.map((cost, i) => event(String(i), cost));
        await enqueue(...events);
        for (const each of deaths) {
          const process = mortal({ queue, ledger }, each);
          const flusher = startSpendFlusher({ ...process, batch, clock: { now: () => START } });
          await Promise.race([process.dead, flusher.flush()]);
          void flusher.stop();
          const [total, hot] = await books();
          expect(total! + hot! >= sum(events) && total! <= sum(events)).toBe(true);
          // A client that heard nothing hands in again.
          await enqueue(...events.map((one) => ({ ...one, cost: 7 })));
        }
        const flusher = startSpendFlusher({ queue, ledger, batch, clock: { now: () => START } });
        expect(await flusher.flush()).toBe("drained");
        await flusher.stop();
        expect(await books()).toEqual([sum(events), 0n]);
        const groups = await ledger.spend({ groupBy: "key", from: 0, to: START * 2 });
        expect(groups.reduce((count, { requests }) => count + requests, 0)).toBe(events.length);
      },
    ),
    { numRuns: 150 },
  );
});

test("property: two flushers on one queue, in any order, while events come in and one is damaged", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      costs,
      fc.record({ batch: fc.integer({ min: 1, max: 5 }), spoilt: fc.nat(20) }),
      async (scheduler, all, { batch, spoilt }) => {
        const { queue, ledger, books } = setup();
        const events = all.map((cost, i) => event(String(i), cost));
        let handedIn = 0n;
        let aside = 0n;
        /** Whatever happens next happens at once, and leaves the books in order. */
        const step =
          <Given extends readonly unknown[], Answer>(
            name: string,
            work: (...given: Given) => Promise<Answer>,
          ) =>
          async (...given: Given): Promise<Answer> => {
            await scheduler.schedule(Promise.resolve(), name);
            const answer = work(...given);
            const [total, hot] = [ledger.total(ALICE), queue.hotSpend(ALICE)];
            const [least, most] = [handedIn - aside, handedIn];
            await answer;
            const counted = (await total) + (await hot);
            expect(counted).toBeGreaterThanOrEqual(least);
            expect(await total).toBeLessThanOrEqual(most);
            return answer;
          };
        const flusher = () =>
          startSpendFlusher({
            queue: { peekSpend: step("peek", queue.peekSpend), ackSpend: step("ack", queue.ackSpend) },
            ledger: {
              commit: step("commit", ledger.commit),
              keepDeadLetter: step("keep", ledger.keepDeadLetter),
            },
            batch,
            clock: { now: () => START },
          });
        const both = [flusher(), flusher()];
        const work = async (): Promise<void> => {
          for (const [i, each] of events.entries()) {
            await scheduler.schedule(Promise.resolve(), `hand in ${String(i)}`);
            const queued = queue.enqueueSpend(each, START);
            handedIn += sum([each]);
            if (i === spoilt && (await queue.backlog()).waiting > 0) {
              const last = (await queue.backlog()).waiting - 1;
              queue.spoil(last, "{");
              aside = sum([each]);
            }
            await queued;
          }
          for (let rounds = 0; rounds < 50; rounds += 1) {
            const ends = await Promise.all(both.map((one) => one.flush()));
            const [stoppedAt] = both.flatMap((one) => one.status().stoppedAt ?? []);
            if (stoppedAt === undefined && ends.every((how) => how === "drained")) return;
            if (stoppedAt !== undefined)
              await Promise.all(both.map((one) => one.quarantine(stoppedAt.position)));
          }
        };
        await scheduler.waitFor(work());
        await scheduler.waitFor(Promise.all(both.map((one) => one.stop())));
        const kept = await ledger.deadLetters();
        expect(kept.length).toBe(aside > 0n || kept.length > 0 ? 1 : 0);
        expect(await books()).toEqual([sum(events) - (kept.length > 0 ? aside : 0n), 0n]);
      },
    ),
    { numRuns: 100 },
  );
});
