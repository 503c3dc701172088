import type { AffinityChange } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { AffinityUnderTest } from "./affinityUnderTest.js";
import type { Check } from "./check.js";
import { eventually } from "./eventually.js";
import { HOSTILE_TEXTS } from "./hostileTexts.js";
import { NOON } from "./sampleSpend.js";

const HOUR = 3_600_000;

function change(rest: Partial<AffinityChange> = {}): AffinityChange {
  return { key: "k", expected: undefined, value: "one", ttlMs: HOUR, ...rest };
}

/** The contract of an affinity. */
export const affinityChecks: readonly Check<AffinityUnderTest>[] = [
  {
    name: "where nothing was set there is nothing",
    async run({ affinity }) {
      expect(await affinity.readAffinity("k", NOON)).toBeUndefined();
      expect(await affinity.getString("k", NOON)).toBeUndefined();
      expect(await affinity.compareAffinity(change({ expected: "one", value: "two" }), NOON)).toBe(false);
      expect(await affinity.compareAffinity(change({ expected: "", value: "two" }), NOON)).toBe(false);
      expect(await affinity.readAffinity("k", NOON)).toBeUndefined();
    },
  },
  {
    name: "a value is set where the expected one is there, and only then",
    async run({ affinity }) {
      expect(await affinity.compareAffinity(change(), NOON)).toBe(true);
      expect(await affinity.compareAffinity(change({ value: "two" }), NOON)).toBe(false);
      expect(await affinity.compareAffinity(change({ expected: "One", value: "two" }), NOON)).toBe(false);
      expect(await affinity.readAffinity("k", NOON)).toBe("one");
      expect(await affinity.compareAffinity(change({ expected: "one", value: "two" }), NOON)).toBe(true);
      expect(await affinity.compareAffinity(change({ expected: "two", value: "two" }), NOON)).toBe(true);
      expect(await affinity.readAffinity("k", NOON)).toBe("two");
    },
  },
  {
    name: "an empty text is a value, not the lack of one",
    async run({ affinity }) {
      expect(await affinity.compareAffinity(change({ value: "" }), NOON)).toBe(true);
      expect(await affinity.readAffinity("k", NOON)).toBe("");
      expect(await affinity.compareAffinity(change({ value: "two" }), NOON)).toBe(false);
      expect(await affinity.compareAffinity(change({ expected: "", value: "two" }), NOON)).toBe(true);
      await affinity.setString({ key: "s", value: "", ttlMs: HOUR }, NOON);
      expect(await affinity.getString("s", NOON)).toBe("");
    },
  },
  {
    name: "a string is replaced whatever was there",
    async run({ affinity }) {
      await affinity.setString({ key: "s", value: "one", ttlMs: HOUR }, NOON);
      await affinity.setString({ key: "s", value: "two", ttlMs: HOUR }, NOON);
      expect(await affinity.getString("s", NOON)).toBe("two");
      expect(await affinity.getString("other", NOON)).toBeUndefined();
    },
  },
  {
    name: "keys and values are apart, whatever they are made of",
    async run({ affinity }) {
      for (const text of HOSTILE_TEXTS) {
        expect(await affinity.compareAffinity(change({ key: text, value: text }), NOON)).toBe(true);
        await affinity.setString({ key: `s${text}`, value: text, ttlMs: HOUR }, NOON);
      }
      for (const text of HOSTILE_TEXTS) {
        expect(await affinity.readAffinity(text, NOON)).toBe(text);
        expect(await affinity.getString(`s${text}`, NOON)).toBe(text);
      }
    },
  },
  {
    name: "of 40 that set one key at once over two handles, one does",
    async run({ affinity, another }) {
      const neighbour = (await another?.()) ?? affinity;
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, i) =>
          (i % 2 === 0 ? affinity : neighbour).compareAffinity(change({ value: String(i) }), NOON),
        ),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
      for (const handle of [affinity, neighbour])
        expect(await handle.readAffinity("k", NOON)).toBe(String(answers.indexOf(true)));
    },
  },
  {
    name: "by the clock on the wall, values end in the end, and comparisons that fail do not prolong them",
    async run({ affinity }) {
      await affinity.setString({ key: "s", value: "one", ttlMs: 150 }, Date.now());
      expect(await affinity.compareAffinity(change({ ttlMs: 150 }), Date.now())).toBe(true);
      await eventually(async () => {
        expect(await affinity.compareAffinity(change({ expected: "wrong", value: "two" }), Date.now())).toBe(
          false,
        );
        expect(await affinity.readAffinity("k", Date.now())).toBeUndefined();
        expect(await affinity.getString("s", Date.now())).toBeUndefined();
      });
      expect(await affinity.compareAffinity(change({ value: "three" }), Date.now())).toBe(true);
    },
  },
  {
    name: "a value ends when its time is over, which only what sets it prolongs",
    async run({ affinity, timeIs = "now" }) {
      if (timeIs === "the backend") return;
      expect(await affinity.compareAffinity(change({ ttlMs: HOUR }), NOON)).toBe(true);
      await affinity.setString({ key: "s", value: "one", ttlMs: HOUR }, NOON);
      const late = NOON + HOUR - 1;
      expect(await affinity.compareAffinity(change({ value: "two" }), late)).toBe(false);
      expect(await affinity.compareAffinity(change({ expected: "x", value: "two" }), late)).toBe(false);
      expect(await affinity.readAffinity("k", late)).toBe("one");
      expect(await affinity.getString("s", late)).toBe("one");
      expect(await affinity.readAffinity("k", NOON + HOUR)).toBeUndefined();
      expect(await affinity.getString("s", NOON + HOUR)).toBeUndefined();
      expect(await affinity.compareAffinity(change({ expected: "one", value: "two" }), NOON + HOUR)).toBe(
        false,
      );
      expect(await affinity.compareAffinity(change({ value: "three" }), NOON + HOUR)).toBe(true);
      expect(
        await affinity.compareAffinity(change({ expected: "three", value: "four" }), NOON + HOUR + 5),
      ).toBe(true);
      expect(await affinity.readAffinity("k", NOON + 2 * HOUR + 4)).toBe("four");
      expect(await affinity.readAffinity("k", NOON + 2 * HOUR + 5)).toBeUndefined();
    },
  },
  {
    name: "random histories over two handles agree with a plain Map",
    async run({ affinity, another, timeIs = "now" }) {
      const handles = [affinity, (await another?.()) ?? affinity] as const;
      let histories = 0;
      const property = fc.asyncProperty(
        fc.array(stepArbitrary, { minLength: 4, maxLength: 16, size: "max" }),
        async (steps) => {
          histories += 1;
          const kept = new Map<string, { readonly value: string; readonly endsAt: number }>();
          let now = NOON;
          for (const { key: name, expected, value, wait, handle } of steps) {
            now += timeIs === "now" ? wait : 0;
            const key = `h${String(histories)} ${name}`;
            const there = kept.get(key);
            const holds = (there !== undefined && there.endsAt > now ? there.value : undefined) === expected;
            const set = await handles[handle].compareAffinity(change({ key, expected, value }), now);
            expect(set).toBe(holds);
            if (holds) kept.set(key, { value, endsAt: now + HOUR });
            const after = kept.get(key);
            expect(await handles[1 - handle]!.readAffinity(key, now)).toBe(
              after !== undefined && after.endsAt > now ? after.value : undefined,
            );
          }
        },
      );
      await fc.assert(property, { numRuns: 30 });
    },
  },
];

const valueArbitrary = fc.constantFrom("", "one", "two");

const stepArbitrary = fc.record({
  key: fc.constantFrom("a", "b"),
  expected: fc.option(valueArbitrary, { nil: undefined, freq: 1 }),
  value: valueArbitrary,
  wait: fc.constantFrom(0, 1, HOUR / 2, HOUR),
  handle: fc.constantFrom<0 | 1>(0, 1),
});
