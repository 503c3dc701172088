import type { Verdict } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { add, counter, deciding, look, transact } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

const a = counter("a");
const b = counter("b");
const c = counter("c");

/** The contract of a usage store when a decision fails, by example: all or none, and nobody else is hurt. */
export const usageStoreFaults: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "what a decision throws rejects its step, and nothing is written",
    async run({ store }) {
      const thrown = new Error("no decision");
      const step = deciding([a, b], () => {
        throw thrown;
      });
      await expect(store.transact(step)).rejects.toBe(thrown);
      expect(await look(store, [a, b])).toEqual([0, 0]);
    },
  },
  {
    name: "a decision that throws rejects only itself, whoever asks at the same moment",
    async run({ store }) {
      const thrown = new Error("no decision");
      const asked = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          transact(
            store,
            deciding([a], () => {
              if (i % 4 === 1) throw thrown;
              return { result: i, additions: [1] };
            }),
          ),
        ),
      );
      expect(
        asked.map((answer) => (answer.status === "fulfilled" ? answer.value : (answer.reason as unknown))),
      ).toEqual(Array.from({ length: 20 }, (_, i) => (i % 4 === 1 ? thrown : i)));
      expect(await look(store, [a])).toEqual([15]);
    },
  },
  ...unfitVerdicts(),
  {
    name: "a sum past 2^53 − 1 is refused, and nothing of its step is written",
    async run({ store }) {
      await add(store, { counters: [b, c], additions: [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER] });
      await expect(add(store, { counters: [a, b], additions: [1, 1] })).rejects.toThrow(Error);
      await expect(add(store, { counters: [a, c], additions: [1, -1] })).rejects.toThrow(Error);
      expect(await look(store, [a, b, c])).toEqual([0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);
    },
  },
];

/** Verdicts that fit no counter. Each must be rejected as a whole, and must not take down who asks at the same moment. */
function unfitVerdicts(): readonly Check<UsageStoreUnderTest>[] {
  const unfit: readonly (readonly [name: string, additions: unknown])[] = [
    ["one addition too few", [1]],
    ["one addition too many", [1, 1, 1]],
    ["no additions at all", undefined],
    ["a fraction", [1, 0.5]],
    ["NaN", [1, NaN]],
    ["an infinity", [1, Infinity]],
    ["1e308", [1, 1e308]],
    ["a text", [1, "1"]],
    ["true", [1, true]],
    ["null", [1, null]],
  ];
  return unfit.map(([name, additions]) => ({
    name: `a verdict with ${name} is rejected, alone, and nothing of it is written`,
    async run({ store }) {
      const bad = (): Verdict<unknown> => ({ result: "written", additions: additions as readonly number[] });
      const [before, rejected, after] = await Promise.allSettled([
        add(store, { counters: [a, b], additions: [2, 3] }),
        store.transact(deciding([a, b], bad)),
        add(store, { counters: [a, b], additions: [20, 30] }),
      ]);
      expect([before.status, rejected.status, after.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await look(store, [a, b])).toEqual([22, 33]);
    },
  }));
}
