import { StoreError } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { HOSTILE_TEXTS } from "./hostileTexts.js";
import { add, counter, deciding, HOUR, look, NOW, transact, withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

const a = counter("a");
const b = counter("b");
const c = counter("c");

/** The contract of a usage store, by example. */
export const usageStoreSentences: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "counters that were never written read 0",
    async run({ store }) {
      expect(await look(store, [a, b])).toEqual([0, 0]);
      expect(await store.read("ledger", [a, b])).toEqual([0, 0]);
    },
  },
  {
    name: "what a step adds is what the next one is shown, counter by counter",
    async run({ store }) {
      expect(await add(store, { counters: [a, b], additions: [3, 5] })).toEqual([0, 0]);
      expect(await add(store, { counters: [b, a], additions: [1, 1] })).toEqual([5, 3]);
      expect(await look(store, [a, b, c])).toEqual([4, 6, 0]);
      expect(await store.read("ledger", [c, b, a])).toEqual([0, 6, 4]);
    },
  },
  {
    name: "a step answers with the very result of its decision",
    async run({ store }) {
      const result = { allowed: true };
      expect(await store.transact(deciding([a], () => ({ result, additions: [1] })))).toBe(result);
      const nothing = await store.transact(
        deciding<unknown>([a], () => ({ result: undefined, additions: [1] })),
      );
      expect(nothing).toBe(undefined);
    },
  },
  {
    name: "additions have a sign, and an amount may pass below 0",
    async run({ store }) {
      await add(store, { counters: [a, b], additions: [10, -4] });
      await add(store, { counters: [a, b], additions: [-7, -4] });
      expect(await look(store, [a, b])).toEqual([3, -8]);
      await add(store, { counters: [a, b], additions: [-5, 9] });
      expect(await look(store, [a, b])).toEqual([-2, 1]);
      expect(await store.read("ledger", [a, b])).toEqual([-2, 1]);
    },
  },
  {
    name: "a refusal, which adds nothing, changes nothing",
    async run({ store }) {
      await add(store, { counters: [a], additions: [9] });
      const refusal = await store.transact(
        deciding([a, b], ([used = 0]) => ({ result: used >= 9 ? "refused" : "allowed", additions: [0, -0] })),
      );
      expect(refusal).toBe("refused");
      expect(await look(store, [a, b])).toEqual([9, 0]);
    },
  },
  {
    name: "a step may add to some of its counters and leave the others",
    async run({ store }) {
      await add(store, { counters: [a, b, c], additions: [1, 0, 2] });
      await add(store, { counters: [a, b, c], additions: [0, 4, 0] });
      expect(await look(store, [a, b, c])).toEqual([1, 4, 2]);
    },
  },
  {
    name: "a step without counters decides too",
    async run({ store }) {
      expect(await add(store, { counters: [], additions: [] })).toEqual([]);
      expect(await store.read("ledger", [])).toEqual([]);
    },
  },
  {
    name: "a step of 600 counters is one step",
    async run({ store }) {
      const counters = Array.from({ length: 600 }, (_, i) => counter(`key ${String(i % 200)}`, i));
      const additions = counters.map((_, i) => i);
      await add(store, { counters, additions });
      expect(await look(store, counters)).toEqual(additions);
      expect(await store.read("ledger", counters)).toEqual(additions);
    },
  },
  {
    name: "amounts are exact to 2^53 − 1, on both sides of 0",
    async run({ store }) {
      for (const amount of [2 ** 24 + 1, 2 ** 31, 2 ** 32 + 1, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER]) {
        const up = counter(`up to ${String(amount)}`);
        const down = counter(`down to ${String(amount)}`);
        await add(store, { counters: [up, down], additions: [amount, -amount] });
        expect(await look(store, [up, down])).toEqual([amount, -amount]);
        expect(await store.read("ledger", [up, down])).toEqual([amount, -amount]);
        await add(store, { counters: [up, down], additions: [1 - amount, amount - 1] });
        expect(await look(store, [up, down])).toEqual([1, -1]);
      }
    },
  },
  {
    name: "ids and ledgers are apart, whatever they are made of",
    async run({ store }) {
      const counters = HOSTILE_TEXTS.map((id) => counter(id));
      const amountsIn = (i: number): readonly number[] => counters.map((_, j) => 1 + i * counters.length + j);
      for (const [i, ledger] of HOSTILE_TEXTS.entries()) {
        expect(await add(store, { ledger, counters, additions: amountsIn(i) })).toEqual(
          counters.map(() => 0),
        );
      }
      for (const [i, ledger] of HOSTILE_TEXTS.entries()) {
        expect(await look(store, counters, ledger)).toEqual(amountsIn(i));
        expect(await store.read(ledger, counters)).toEqual(amountsIn(i));
      }
    },
  },
  {
    name: "the buckets of an id are apart, and a bucket is any whole number",
    async run({ store }) {
      const buckets = [-1, 0, 1, 11, 2 ** 31, 2 ** 32 + 1, 2 ** 40, Number.MAX_SAFE_INTEGER];
      const counters = HOSTILE_TEXTS.flatMap((id) => buckets.map((bucket) => counter(id, bucket)));
      const additions = counters.map((_, i) => i + 1);
      await add(store, { counters, additions });
      expect(await look(store, counters)).toEqual(additions);
      expect(await store.read("ledger", counters)).toEqual(additions);
    },
  },
  {
    name: "from the moment it expires, a counter is shown as 0",
    async run({ store }) {
      const brief = { id: "a", bucket: 1, expiresAt: NOW + HOUR };
      const shownAt = (now: number): Promise<readonly number[]> =>
        transact(store, {
          ...deciding([brief, b], (amounts) => ({ result: [...amounts], additions: [0, 0] })),
          now,
        });
      await add(store, { counters: [brief, b], additions: [7, 8] });
      expect(await shownAt(brief.expiresAt - 1)).toEqual([7, 8]);
      expect(await shownAt(brief.expiresAt)).toEqual([0, 8]);
      expect(await shownAt(brief.expiresAt + HOUR)).toEqual([0, 8]);
    },
  },
  {
    name: "what is added to a counter that has expired never shows, and the rest of the step counts",
    async run({ store }) {
      const brief = { id: "a", bucket: 1, expiresAt: NOW + HOUR };
      const late = (additions: readonly number[]): Promise<readonly number[]> =>
        transact(store, {
          ...deciding([brief, b], (amounts) => ({ result: [...amounts], additions })),
          now: NOW + 2 * HOUR,
        });
      await add(store, { counters: [brief, b], additions: [7, 8] });
      expect(await late([-7, 2])).toEqual([0, 8]);
      expect(await late([0, 0])).toEqual([0, 10]);
    },
  },
  {
    name: "forget drops what expired before a moment, says how much, and leaves the rest",
    async run({ store, forgets = "when asked" }) {
      const counters = [1, 2, 3, 4].map((hours) => ({
        id: "a",
        bucket: hours,
        expiresAt: NOW + hours * HOUR,
      }));
      for (const ledger of ["one", "two"]) await add(store, { ledger, counters, additions: [1, 2, 3, 4] });

      const expired = forgets === "by itself" ? 0 : 4;
      expect(await store.forget(NOW)).toBe(0);
      expect(await store.forget(NOW + 2.5 * HOUR)).toBe(expired);
      expect(await store.forget(NOW + 2.5 * HOUR)).toBe(0);
      for (const ledger of ["one", "two"]) {
        expect((await store.read(ledger, counters)).slice(2)).toEqual([3, 4]);
        expect((await look(store, counters, ledger)).slice(2)).toEqual([3, 4]);
        if (forgets === "when asked") expect(await store.read(ledger, counters)).toEqual([0, 0, 3, 4]);
      }
    },
  },
  {
    name: "closing twice is closing once, and what comes after is rejected with a StoreError",
    async run({ store }) {
      await add(store, { counters: [a], additions: [1] });
      await store.close();
      await store.close();
      await expect(look(store, [a])).rejects.toBeInstanceOf(StoreError);
      await expect(store.read("ledger", [a])).rejects.toBeInstanceOf(StoreError);
      await expect(store.forget(NOW)).rejects.toBeInstanceOf(StoreError);
    },
  },
  {
    name: "two handles on the same data see one truth",
    async run(subject) {
      const { store } = subject;
      await withNeighbour(subject, async (neighbour) => {
        await add(store, { counters: [a, b], additions: [1, 2] });
        expect(await add(neighbour, { counters: [a, b], additions: [10, 20] })).toEqual([1, 2]);
        expect(await add(store, { counters: [a, b], additions: [100, 200] })).toEqual([11, 22]);
        expect(await look(neighbour, [a, b])).toEqual([111, 222]);
      });
      if (subject.another !== undefined) expect(await look(store, [a, b])).toEqual([111, 222]);
    },
  },
];
