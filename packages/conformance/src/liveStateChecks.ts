import { LATENCY_KEPT_MS, LATENCY_SAMPLES, type LiveState } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { HOSTILE_TEXTS } from "./hostileTexts.js";
import type { LiveStateUnderTest } from "./liveStateUnderTest.js";
import { MINUTE, NOON } from "./sampleSpend.js";

const NEVER_MS = [Number.NaN, -1, Infinity, -Infinity];

/** The contract of a live state. */
export const liveStateChecks: readonly Check<LiveStateUnderTest>[] = [
  {
    name: "of a deployment that nobody told of nothing is known",
    async run({ live }) {
      expect(await live.cooled(["a"], NOON)).toEqual(new Map());
      expect(await live.latencies(["a"], NOON)).toEqual(new Map());
      expect(await tokens(live, "a", NOON)).toBe(0);
      expect(await live.cooled([], NOON)).toEqual(new Map());
      expect(await live.latencies([], NOON)).toEqual(new Map());
      expect(await live.usages([], NOON)).toEqual(new Map());
    },
  },
  {
    name: "from the allowed failure on, a deployment is in cooldown for as long as was said",
    async run({ live }) {
      const terms = { allowed: 3, cooldownMs: 5_000 };
      for (const i of [0, 1]) await live.recordFailure("a", terms, NOON + i);
      expect(await live.cooled(["a", "b"], NOON + 1)).toEqual(new Map());
      await live.recordFailure("a", terms, NOON + 2);
      expect(await live.cooled(["a", "b"], NOON + 2)).toEqual(new Map([["a", NOON + 5_002]]));
      expect(await live.cooled(["a"], NOON + 5_001)).toEqual(new Map([["a", NOON + 5_002]]));
      expect(await live.cooled(["a"], NOON + 5_002)).toEqual(new Map());
      await live.recordFailure("a", terms, NOON + 6_000);
      expect(await live.cooled(["a"], NOON + 6_000)).toEqual(new Map([["a", NOON + 11_000]]));
    },
  },
  {
    name: "failures are counted within one UTC minute, and a cooldown outlives it",
    async run({ live }) {
      const terms = { allowed: 2, cooldownMs: 10 * MINUTE };
      await live.recordFailure("a", terms, NOON + MINUTE - 1);
      await live.recordFailure("a", terms, NOON + MINUTE);
      expect(await live.cooled(["a"], NOON + MINUTE)).toEqual(new Map());
      await live.recordFailure("a", terms, NOON + 2 * MINUTE - 1);
      const until = NOON + 12 * MINUTE - 1;
      expect(await live.cooled(["a"], until - 1)).toEqual(new Map([["a", until]]));
      expect(await live.cooled(["a"], until)).toEqual(new Map());
    },
  },
  {
    name: "where fewer than one failure is allowed, nothing happens",
    async run({ live }) {
      for (const allowed of [0, -1, 0.5]) await live.recordFailure("a", { allowed, cooldownMs: 5_000 }, NOON);
      expect(await live.cooled(["a"], NOON)).toEqual(new Map());
      await live.recordFailure("a", { allowed: 1, cooldownMs: 5_000 }, NOON);
      expect(await live.cooled(["a"], NOON)).toEqual(new Map([["a", NOON + 5_000]]));
    },
  },
  {
    name: "latency is the mean of the samples, and what is no time is dropped",
    async run({ live }) {
      for (const ms of [0, 10, ...NEVER_MS, 50]) await live.addLatency("a", ms, NOON);
      for (const ms of NEVER_MS) await live.addLatency("b", ms, NOON);
      await live.addLatency("c", 0.5, NOON);
      expect(await live.latencies(["a", "b", "c"], NOON)).toEqual(
        new Map([
          ["a", 20],
          ["c", 0.5],
        ]),
      );
    },
  },
  {
    name: "samples of the same duration, at the same moment, are several",
    async run({ live }) {
      for (const ms of [10, 10, 10, 50]) await live.addLatency("a", ms, NOON);
      expect(await live.latencies(["a"], NOON)).toEqual(new Map([["a", 20]]));
    },
  },
  {
    name: `only the newest ${String(LATENCY_SAMPLES)} samples count`,
    async run({ live }) {
      for (let i = 0; i < 5; i += 1) await live.addLatency("a", 1_000_000, NOON + i);
      for (let i = 0; i < LATENCY_SAMPLES; i += 1) await live.addLatency("a", i, NOON + 5 + i);
      expect(await live.latencies(["a"], NOON + 100)).toEqual(new Map([["a", (LATENCY_SAMPLES - 1) / 2]]));
    },
  },
  {
    name: "a sample counts for an hour",
    async run({ live }) {
      await live.addLatency("a", 10, NOON);
      await live.addLatency("a", 30, NOON + MINUTE);
      expect(await live.latencies(["a"], NOON + LATENCY_KEPT_MS - 1)).toEqual(new Map([["a", 20]]));
      expect(await live.latencies(["a"], NOON + LATENCY_KEPT_MS + 1)).toEqual(new Map([["a", 30]]));
      expect(await live.latencies(["a"], NOON + MINUTE + LATENCY_KEPT_MS + 1)).toEqual(new Map());
      await live.addLatency("a", 50, NOON + 3 * LATENCY_KEPT_MS);
      expect(await live.latencies(["a"], NOON + 3 * LATENCY_KEPT_MS)).toEqual(new Map([["a", 50]]));
    },
  },
  {
    name: "tokens are those of the current UTC minute, which each write does not prolong",
    async run({ live }) {
      await live.addUsage("a", 5, NOON);
      await live.addUsage("a", 7, NOON + MINUTE - 1);
      expect(await tokens(live, "a", NOON + MINUTE - 1)).toBe(12);
      expect(await tokens(live, "a", NOON + MINUTE)).toBe(0);
      await live.addUsage("a", 1, NOON + MINUTE);
      expect(await tokens(live, "a", NOON + 2 * MINUTE - 1)).toBe(1);
      expect(await tokens(live, "b", NOON)).toBe(0);
    },
  },
  {
    name: "tokens that are no amount are dropped",
    async run({ live }) {
      await live.addUsage("a", 5, NOON);
      for (const amount of NEVER_MS) await live.addUsage("a", amount, NOON);
      expect(await tokens(live, "a", NOON)).toBe(5);
    },
  },
  {
    name: "a hit answers with what the minute holds now, and the next minute begins at nothing",
    async run({ live }) {
      expect(await live.hitRpm("a", NOON)).toBe(1);
      expect(await live.hitRpm("a", NOON + MINUTE - 1)).toBe(2);
      expect(await live.hitRpm("a", NOON + MINUTE)).toBe(1);
      expect(await live.hitRpm("b", NOON + MINUTE)).toBe(1);
      expect(await live.hitTpm("a", 30, NOON)).toBe(30);
      expect(await live.hitTpm("a", 12, NOON + MINUTE - 1)).toBe(42);
      expect(await live.hitTpm("a", 0, NOON + MINUTE - 1)).toBe(42);
      expect(await live.hitTpm("a", 5, NOON + MINUTE)).toBe(5);
    },
  },
  {
    name: "40 that hit at once over two handles are told 40 different numbers",
    async run({ live, another }) {
      const neighbour = (await another?.()) ?? live;
      const told = await Promise.all(
        Array.from({ length: 40 }, async (_, i) => (i % 2 === 0 ? live : neighbour).hitRpm("a", NOON)),
      );
      expect(told.toSorted((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      await Promise.all(
        Array.from({ length: 40 }, async (_, i) => (i % 2 === 0 ? live : neighbour).addUsage("a", 3, NOON)),
      );
      expect(await tokens(neighbour, "a", NOON)).toBe(120);
    },
  },
  {
    name: "what one handle is told the other knows",
    async run({ live, another }) {
      const neighbour = (await another?.()) ?? live;
      await live.recordFailure("a", { allowed: 2, cooldownMs: 1_000 }, NOON);
      await neighbour.recordFailure("a", { allowed: 2, cooldownMs: 1_000 }, NOON);
      await live.addLatency("a", 10, NOON);
      await neighbour.addLatency("a", 20, NOON);
      for (const handle of [live, neighbour]) {
        expect(await handle.cooled(["a"], NOON)).toEqual(new Map([["a", NOON + 1_000]]));
        expect(await handle.latencies(["a"], NOON)).toEqual(new Map([["a", 15]]));
      }
    },
  },
  {
    name: "deployments are apart, whatever their ids are made of",
    async run({ live }) {
      const ids = HOSTILE_TEXTS;
      for (const [i, id] of ids.entries()) {
        await live.recordFailure(id, { allowed: 1, cooldownMs: i + 1 }, NOON);
        await live.addLatency(id, i, NOON);
        await live.addUsage(id, i + 1, NOON);
        expect(await live.hitRpm(id, NOON)).toBe(1);
        expect(await live.hitTpm(id, i, NOON)).toBe(i);
      }
      const each = (value: (i: number) => number): ReadonlyMap<string, number> =>
        new Map(ids.map((id, i) => [id, value(i)]));
      expect(await live.cooled(ids, NOON)).toEqual(each((i) => NOON + i + 1));
      expect(await live.latencies(ids, NOON)).toEqual(each((i) => i));
      expect(await live.usages(ids, NOON)).toEqual(each((i) => i + 1));
    },
  },
  {
    name: "random histories of samples agree with a plain list",
    async run({ live, another }) {
      const handles = [live, (await another?.()) ?? live] as const;
      let histories = 0;
      const property = fc.asyncProperty(
        fc.array(sampleArbitrary, { minLength: 5, maxLength: 30, size: "max" }),
        async (samples) => {
          histories += 1;
          const id = `h${String(histories)}`;
          const kept: { readonly ms: number; readonly at: number }[] = [];
          let now = NOON;
          for (const { ms, wait, handle } of samples) {
            now += wait;
            await handles[handle].addLatency(id, ms, now);
            kept.push({ ms, at: now });
          }
          now += 1;
          const counted = kept.slice(-LATENCY_SAMPLES).filter(({ at }) => at > now - LATENCY_KEPT_MS);
          const mean = counted.reduce((sum, { ms }) => sum + ms, 0) / counted.length;
          expect((await live.latencies([id], now)).get(id)).toBeCloseTo(mean, 6);
        },
      );
      await fc.assert(property, { numRuns: 20 });
    },
  },
];

const sampleArbitrary = fc.record({
  ms: fc.integer({ min: 0, max: 10_000 }),
  wait: fc.constantFrom(0, 0, 1, MINUTE, 10 * MINUTE),
  handle: fc.constantFrom<0 | 1>(0, 1),
});

/** Absent and 0 are the same here. */
async function tokens(live: LiveState, id: string, now: number): Promise<number> {
  return (await live.usages([id], now)).get(id) ?? 0;
}
