import type { ProviderReading, ProviderSignals } from "@quota/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSignalRefresh } from "../src/signalRefresh.js";

const NOW = 1_700_000_000_000;
const SECOND = 1000;
const MINUTE = 60_000;

const reading = (receivedAt: number): ProviderReading => ({
  provider: "codex",
  unit: "percent",
  window: "5h",
  utilization: 0.5,
  receivedAt,
  source: "rate_limit.primary_window.used_percent",
});

/** A refresh whose time, whose provider and whose timers are the test's. */
function refreshing() {
  const answers: {
    readonly connectionId: string;
    readonly signal: AbortSignal;
    readonly answer: (signals: ProviderSignals | undefined) => Promise<void>;
    readonly fail: (why: string) => Promise<void>;
  }[] = [];
  const kept: string[] = [];
  const newest = new Map<string, number>();
  const timers = new Map<() => void, number>();
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const time = { now: NOW };
  const refresh = createSignalRefresh({
    source: {
      fetch: (connectionId, signal) =>
        new Promise((resolve, reject) => {
          answers.push({
            connectionId,
            signal,
            answer: (signals) => (resolve(signals), everythingDone()),
            fail: (why) => (reject(new Error(why)), everythingDone()),
          });
        }),
    },
    observe: async (connectionId, readings) => {
      kept.push(connectionId);
      newest.set(connectionId, Math.max(...readings.map(({ receivedAt }) => receivedAt)));
    },
    newestAt: (connectionId) => newest.get(connectionId),
    now: () => time.now,
    logger: { warn: (entry) => void warnings.push(entry) },
    after(ms, then) {
      timers.set(then, time.now + ms);
      return () => timers.delete(then);
    },
  });
  return {
    refresh,
    answers,
    kept,
    newest,
    warnings,
    timers,
    good: () => ({ readings: [reading(time.now)], notes: [] }),
    pass(ms: number) {
      time.now += ms;
      for (const [then, at] of timers) if (at <= time.now && timers.delete(then)) then();
    },
    /** How many fetches a touch starts now. */
    started(connectionId = "seat"): number {
      const before = answers.length;
      refresh.touch(connectionId);
      return answers.length - before;
    },
  };
}

/** Promises that wait for nothing but each other are through. */
const everythingDone = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a connection whose readings are needed", () => {
  test("is asked about at once when nothing was ever read, and its readings are kept", async () => {
    const { started, answers, kept, good } = refreshing();
    expect(started()).toBe(1);
    await answers[0]!.answer(good());
    expect(kept).toEqual(["seat"]);
  });

  test("is asked about by one fetch, however many need it", async () => {
    const { started, answers, good } = refreshing();
    expect([started(), started(), started()]).toEqual([1, 0, 0]);
    await answers[0]!.answer(good());
    expect(started()).toBe(0);
  });

  test("is asked about again when what was read is 30 s old, and not before", async () => {
    const { started, answers, good, pass } = refreshing();
    started();
    await answers[0]!.answer(good());
    pass(30 * SECOND - 1);
    expect(started()).toBe(0);
    pass(1);
    expect(started()).toBe(1);
  });

  test("is left alone while answers bring readings that are fresh", async () => {
    const { started, newest, pass } = refreshing();
    newest.set("seat", NOW);
    pass(20 * SECOND);
    expect(started()).toBe(0);
    newest.set("seat", NOW + 20 * SECOND);
    pass(29 * SECOND);
    expect(started()).toBe(0);
    pass(SECOND);
    expect(started()).toBe(1);
  });

  test("is asked about after failures twice as late each time, but never later than 15 minutes; a success begins anew", async () => {
    const { started, answers, good, pass, warnings } = refreshing();
    const waits = [30, 60, 120, 240, 480, 900, 900].map((seconds) => seconds * SECOND);
    for (const wait of waits) {
      expect(started()).toBe(1);
      await answers.at(-1)!.fail("The usage endpoint answered 503.");
      pass(wait - 1);
      expect(started()).toBe(0);
      pass(1);
    }
    expect(warnings.map(({ againMs }) => againMs)).toEqual(waits);
    started();
    await answers.at(-1)!.answer(good());
    pass(30 * SECOND);
    started();
    await answers.at(-1)!.fail("The usage endpoint answered 503.");
    pass(30 * SECOND);
    expect(started()).toBe(1);
  });

  test("is asked about no earlier than the provider asks to be, within 15 minutes", async () => {
    for (const [retryAfterMs, waits] of [
      [5 * MINUTE, 5 * MINUTE],
      [1, 30 * SECOND],
      [86_400_000, 15 * MINUTE],
      [Infinity, 15 * MINUTE],
      [NaN, 30 * SECOND],
      [-1, 30 * SECOND],
    ] as const) {
      const { started, answers, pass } = refreshing();
      started();
      await answers[0]!.answer({ readings: [], retryAfterMs, notes: [] });
      pass(waits - 1);
      expect(started()).toBe(0);
      pass(1);
      expect(started()).toBe(1);
    }
  });

  test("is a failure to ask about when the answer holds no reading: the notes say why", async () => {
    const { started, answers, warnings, kept } = refreshing();
    started();
    await answers[0]!.answer({ readings: [], notes: ["used_percent is no number."] });
    expect(kept).toEqual([]);
    expect(warnings).toMatchObject([
      { scope: "quota:signals", connectionId: "seat", err: { message: "used_percent is no number." } },
    ]);
  });

  test("is left alone for 10 minutes when it has no endpoint, and nobody is warned", async () => {
    const { started, answers, pass, warnings } = refreshing();
    started();
    await answers[0]!.answer(undefined);
    pass(10 * MINUTE - 1);
    expect(started()).toBe(0);
    pass(1);
    expect(started()).toBe(1);
    expect(warnings).toEqual([]);
  });

  test("is given up after 10 s by a source that does not even heed its signal", async () => {
    const { started, answers, pass, warnings, kept, good, timers } = refreshing();
    started();
    pass(10 * SECOND - 1);
    await everythingDone();
    expect(answers[0]!.signal.aborted).toBe(false);
    pass(1);
    await everythingDone();
    expect(answers[0]!.signal.aborted).toBe(true);
    expect(warnings).toMatchObject([{ err: { message: "There was no answer within 10 s." } }]);
    await answers[0]!.answer(good());
    expect(kept).toEqual([]);
    pass(30 * SECOND);
    expect(started()).toBe(1);
    await answers[1]!.answer(good());
    expect(timers.size).toBe(0);
  });

  test("may be asked about by a source that throws instead of answering", async () => {
    const warnings: unknown[] = [];
    const refresh = createSignalRefresh({
      source: {
        fetch() {
          throw new Error("No credentials.");
        },
      },
      observe: async () => undefined,
      newestAt: () => undefined,
      now: () => NOW,
      logger: { warn: (_entry, message) => void warnings.push(message) },
    });
    refresh.touch("seat");
    await everythingDone();
    expect(warnings).toHaveLength(1);
    await refresh.close();
  });
});

describe("many connections", () => {
  test("are asked about eight at a time; the others wait their turn, in order", async () => {
    const { refresh, answers, good } = refreshing();
    const ids = Array.from({ length: 12 }, (_, i) => `seat ${String(i)}`);
    for (const id of [...ids, ...ids]) refresh.touch(id);
    expect(answers.map(({ connectionId }) => connectionId)).toEqual(ids.slice(0, 8));
    for (let i = 0; i < ids.length; i += 1) await answers[i]!.answer(good());
    expect(answers.map(({ connectionId }) => connectionId)).toEqual(ids);
  });

  test("need no turn any more when an answer brought their readings meanwhile", async () => {
    const { refresh, answers, newest, good } = refreshing();
    for (let i = 0; i < 10; i += 1) refresh.touch(`seat ${String(i)}`);
    newest.set("seat 8", NOW);
    await answers[0]!.answer(good());
    expect(answers.map(({ connectionId }) => connectionId).slice(8)).toEqual(["seat 9"]);
  });

  test("are forgotten, the longest unasked first, when they are more than 10 000; but not while one is asked about", async () => {
    const { started, answers } = refreshing();
    started("slow");
    for (let i = 1; i < 10_000; i += 1) {
      started(`seat ${String(i)}`);
      await answers.at(-1)!.answer(undefined);
    }
    expect([started("seat 1"), started("seat 9999")]).toEqual([0, 0]);
    expect(started("one more")).toBe(1);
    await answers.at(-1)!.answer(undefined);
    expect([started("slow"), started("seat 2"), started("seat 1"), started("seat 9999")]).toEqual([
      0, 0, 1, 0,
    ]);
  });
});

test("once closed, whatever is under way is aborted, nothing more is kept or asked, and nobody is warned", async () => {
  const { refresh, started, answers, kept, warnings, good, timers } = refreshing();
  for (let i = 0; i < 10; i += 1) refresh.touch(`seat ${String(i)}`);
  await refresh.close();
  expect(answers.map(({ signal }) => signal.aborted)).toEqual(Array<boolean>(8).fill(true));
  await answers[0]!.answer(good());
  expect([started("seat 0"), started("another")]).toEqual([0, 0]);
  expect({ kept, warnings, timers: timers.size }).toEqual({ kept: [], warnings: [], timers: 0 });
});

const OUTCOMES = ["good", "empty", "fails", "no endpoint", "never"] as const;

test("in whatever order things happen: one fetch of a connection, eight in all, none too early, and each connection is asked again in the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(
        fc.oneof(
          { weight: 5, arbitrary: fc.record({ touch: fc.nat(11) }) },
          { weight: 1, arbitrary: fc.record({ pass: fc.constantFrom(1, 9_999, 30_000, 60_000) }) },
          { weight: 1, arbitrary: fc.record({ answered: fc.nat(11) }) },
        ),
        { maxLength: 60 },
      ),
      fc.infiniteStream(fc.constantFrom(...OUTCOMES)),
      async (scheduler, commands, outcomes) => {
        const time = { now: NOW };
        const timers = new Map<() => void, number>();
        const newest = new Map<string, number>();
        const underWay = new Map<string, AbortSignal>();
        const earliest = new Map<string, number>();
        const failures = new Map<string, number>();
        const broken: string[] = [];
        let starts = 0;

        function ended(connectionId: string, outcome: (typeof OUTCOMES)[number]): void {
          underWay.delete(connectionId);
          const before = failures.get(connectionId) ?? 0;
          const failed = outcome !== "good" && outcome !== "no endpoint";
          if (failed) failures.set(connectionId, before + 1);
          else if (outcome === "good") failures.delete(connectionId);
          const wait = failed
            ? Math.min(30_000 * 2 ** before, 900_000)
            : outcome === "good"
              ? 30_000
              : 600_000;
          earliest.set(connectionId, time.now + wait);
        }

        const refresh = createSignalRefresh({
          source: {
            async fetch(connectionId, signal) {
              starts += 1;
              if (underWay.has(connectionId)) broken.push(`${connectionId} was asked about twice at once`);
              if (time.now < (earliest.get(connectionId) ?? 0))
                broken.push(`${connectionId} was asked too early`);
              if (time.now < (newest.get(connectionId) ?? 0) + 30_000)
                broken.push(`${connectionId} was asked though its readings are fresh`);
              underWay.set(connectionId, signal);
              if (underWay.size > 8) broken.push(`${String(underWay.size)} at once`);
              const { value: outcome = "good" } = outcomes.next() as { value?: (typeof OUTCOMES)[number] };
              signal.addEventListener("abort", () => {
                if (underWay.get(connectionId) === signal) ended(connectionId, "never");
              });
              if (outcome === "never") return new Promise<never>(() => undefined);
              await scheduler.schedule(Promise.resolve(), `answer ${connectionId}: ${outcome}`);
              if (!signal.aborted) ended(connectionId, outcome);
              if (outcome === "fails") throw new Error("The usage endpoint answered 500.");
              if (outcome === "no endpoint") return undefined;
              return { readings: outcome === "good" ? [reading(time.now)] : [], notes: [] };
            },
          },
          async observe(connectionId, readings) {
            const { receivedAt } = readings[0]!;
            await scheduler.schedule(Promise.resolve(), `keep ${connectionId}`);
            newest.set(connectionId, Math.max(newest.get(connectionId) ?? 0, receivedAt));
          },
          newestAt: (connectionId) => newest.get(connectionId),
          now: () => time.now,
          after(ms, then) {
            timers.set(then, time.now + ms);
            return () => timers.delete(then);
          },
        });
        const pass = (ms: number): void => {
          time.now += ms;
          for (const [then, at] of timers) if (at <= time.now && timers.delete(then)) then();
        };

        for (const command of commands)
          void scheduler.schedule(Promise.resolve(), JSON.stringify(command)).then(() => {
            if ("touch" in command) refresh.touch(`seat ${String(command.touch)}`);
            else if ("pass" in command) pass(command.pass);
            else newest.set(`seat ${String(command.answered)}`, time.now);
          });
        await scheduler.waitIdle();
        // Whatever still hangs is given up, and nobody's turn was lost.
        for (let round = 0; round < 3; round += 1) {
          pass(10_000);
          await scheduler.waitIdle();
        }
        expect(underWay.size).toBe(0);
        pass(15 * MINUTE);
        const before = starts;
        for (let n = 0; n < 12; n += 1) refresh.touch(`seat ${String(n)}`);
        await scheduler.waitIdle();
        for (let round = 0; round < 3; round += 1) {
          pass(10_000);
          await scheduler.waitIdle();
        }
        expect(starts - before).toBe(12);

        await refresh.close();
        for (let n = 0; n < 12; n += 1) refresh.touch(`seat ${String(n)}`);
        expect(starts - before).toBe(12);
        expect(timers.size).toBe(0);
        expect(broken).toEqual([]);
      },
    ),
    { numRuns: 200 },
  );
});
