import type { Counter, UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { add, counter, look, NOW, transact, withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

const everyone = counter("everyone");

/** The contract of a usage store under many callers at once: a ceiling grants exactly the ceiling. */
export const usageStoreCrowds: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "500 callers at once at a ceiling of 120 are granted exactly 120",
    async run({ store }) {
      const granted = await askMany(500, (i) => take([store, store], { i, ceiling: 120 }));
      expect(granted).toBe(120);
      expect(await look(store, [everyone])).toEqual([120]);
    },
  },
  {
    name: "500 callers at once over two handles are granted exactly 120",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const granted = await askMany(500, (i) => take([subject.store, neighbour], { i, ceiling: 120 }));
        expect(granted).toBe(120);
        expect(await look(subject.store, [everyone])).toEqual([120]);
        expect(await look(neighbour, [everyone])).toEqual([120]);
      });
    },
  },
  {
    name: "500 callers at once whose verdicts hold only at what they were shown are granted exactly 120",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const granted = await askMany(500, (i) =>
          take([subject.store, neighbour], { i, ceiling: 120, bounds: "none" }),
        );
        expect(granted).toBe(120);
        expect(await look(subject.store, [everyone])).toEqual([120]);
      });
    },
  },
  {
    name: "while 250 settle and 250 are admitted, nobody passes the ceiling and nothing is lost",
    async run(subject) {
      const { store } = subject;
      const held = counter("held");
      await withNeighbour(subject, async (neighbour) => {
        await add(store, { counters: [held], additions: [250] });
        const admitted = await askMany(500, async (i) => {
          const handle = i % 4 < 2 ? store : neighbour;
          if (i % 2 === 0) return settle(handle, held);
          return transact(handle, {
            ledger: "ledger",
            counters: [everyone, held],
            now: NOW,
            decide: ([used = 0, holds = 0]) =>
              used + holds < 300
                ? { result: true, additions: [0, 1], holdsUpTo: [used, 299 - used] }
                : { result: false, additions: [0, 0] },
          });
        });
        expect(admitted).toBe(50);
        expect(await look(store, [everyone, held])).toEqual([250, 50]);
      });
    },
  },
  {
    name: "two ledgers asked at the same moment keep to their own ceilings",
    async run({ store }) {
      const granted = await Promise.all(
        ["one", "two"].map((ledger, j) =>
          askMany(100, (i) => take([store, store], { i, ceiling: 30 + 10 * j, ledger })),
        ),
      );
      expect(granted).toEqual([30, 40]);
    },
  },
  {
    name: "whatever it costs, what is granted fits under the limit, and what is refused did not",
    async run(subject) {
      let rounds = 0;
      await withNeighbour(subject, async (neighbour) => {
        const costs = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 30 });
        const property = fc.asyncProperty(costs, fc.integer({ min: 1, max: 200 }), async (asked, ceiling) => {
          rounds += 1;
          const ledger = `round ${String(rounds)}`;
          const answers = await Promise.all(
            asked.map((cost, i) => take([subject.store, neighbour], { i, ceiling, cost, ledger })),
          );
          const sum = asked.filter((_, i) => answers[i]).reduce((total, cost) => total + cost, 0);
          expect(sum).toBeLessThanOrEqual(ceiling);
          expect(await look(subject.store, [everyone], ledger)).toEqual([sum]);
          for (const cost of asked.filter((_, i) => !answers[i])) expect(sum + cost).toBeGreaterThan(ceiling);
        });
        await fc.assert(property, { numRuns: 40 });
      });
    },
  },
];

/** How many of the callers, all asking at the same moment, were granted what they asked for. */
async function askMany(callers: number, ask: (i: number) => Promise<boolean>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: callers }, (_, i) => ask(i)));
  return answers.filter(Boolean).length;
}

/** Asks for some of what a ceiling leaves: granted while it fits. Callers use the handles in turn. */
async function take(
  handles: readonly [UsageStore, UsageStore],
  question: {
    readonly i: number;
    readonly ceiling: number;
    readonly cost?: number;
    readonly ledger?: string;
    readonly bounds?: "none";
  },
): Promise<boolean> {
  const { i, ceiling, cost = 1, ledger = "ledger", bounds } = question;
  const own = counter(`caller ${String(i % 7)}`);
  return transact(handles[i % 2 === 0 ? 0 : 1], {
    ledger,
    counters: [everyone, own],
    now: NOW,
    decide: ([used = 0]) =>
      used + cost <= ceiling
        ? {
            result: true,
            additions: [cost, cost],
            holdsUpTo: bounds === "none" ? undefined : [ceiling - cost, Infinity],
          }
        : { result: false, additions: [0, 0] },
  });
}

/** Takes one hold out and adds one use. What it adds does not depend on what it is shown. */
async function settle(store: UsageStore, held: Counter): Promise<false> {
  return transact(store, {
    ledger: "ledger",
    counters: [everyone, held],
    now: NOW,
    decide: () => ({ result: false, additions: [1, -1], holdsUpTo: [Infinity, Infinity] }),
  });
}
