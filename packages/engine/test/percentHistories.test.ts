import type { ProviderReading } from "@quota/core";
import { createMemoryUsageStore, createQuotaEngine, type QuotaEngine } from "@quota/engine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engineOver, START } from "./engineOver.js";

const FIVE_HOURS = 5 * 3_600_000;
const KEYS = ["alice", "bob", "carol", "stranger"] as const;

/** What happens to an account: keys use it through two processes, its owner beside them, and its provider speaks. */
type Event =
  | { readonly kind: "use"; readonly key: number; readonly tokens: number; readonly process: number }
  | { readonly kind: "stream"; readonly key: number; readonly tokens: number; readonly process: number }
  | { readonly kind: "say"; readonly rise: number; readonly process: number }
  | { readonly kind: "say-again"; readonly process: number }
  | { readonly kind: "say-late"; readonly percent: number; readonly process: number }
  | { readonly kind: "reset"; readonly percent: number; readonly process: number }
  | { readonly kind: "wait"; readonly ms: number };

const process = fc.nat({ max: 1 });
const key = fc.nat({ max: KEYS.length - 1 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("use" as const),
      key,
      tokens: fc.nat({ max: 50_000 }),
      process,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("stream" as const),
      key,
      tokens: fc.nat({ max: 50_000 }),
      process,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("say" as const), rise: fc.nat({ max: 12 }), process }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("say-again" as const), process }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("say-late" as const), percent: fc.nat({ max: 100 }), process }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("reset" as const), percent: fc.nat({ max: 5 }), process }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat({ max: 3 * 3_600_000 }) }),
  },
);

/** Plays a history to two engines on one store; looks at the pool after every reading. */
async function play(
  history: readonly Event[],
  look: (seen: {
    readonly engine: QuotaEngine;
    readonly poolId: string;
    readonly percent: number;
    readonly resetsAt: number;
  }) => Promise<void>,
): Promise<void> {
  const store = createMemoryUsageStore();
  const { pools, plans, pool, time, caller, setPlan } = await engineOver({ store });
  await setPlan([{ unit: "percent", window: "5h", limit: 100 }]);
  const engines = [0, 1].map(() =>
    createQuotaEngine({ store, pools, plans, clock: { now: () => time.now }, whenStoreFails: "deny" }),
  );
  let percent = 0;
  let resetsAt = START + FIVE_HOURS;
  let last: ProviderReading | undefined;
  let changedAt = 0;
  const say = async (by: number, said: Partial<ProviderReading>): Promise<void> => {
    const reading = {
      ...({ provider: "codex", unit: "percent", window: "5h", source: "test" } as const),
      ...{ utilization: percent / 100, resetsAt, receivedAt: time.now },
      ...said,
    };
    await engines[by]!.observe("seat", [reading]);
    await look({ engine: engines[by]!, poolId: pool.id, percent, resetsAt });
    if (said.receivedAt !== undefined) return;
    // What says the same a moment later is not written again: a window only fills, so nothing else can have been said in between.
    if (last?.utilization !== reading.utilization || last.resetsAt !== reading.resetsAt) changedAt = time.now;
    last = reading;
  };
  for (const each of history) {
    time.now += 1;
    if (time.now >= resetsAt) {
      percent = 0;
      resetsAt += Math.ceil((time.now - resetsAt + 1) / FIVE_HOURS) * FIVE_HOURS;
    }
    switch (each.kind) {
      case "use": {
        const engine = engines[each.process]!;
        const { lease } = await engine.admit({
          ...caller(KEYS[each.key]!),
          estimate: { tokens: each.tokens },
        });
        if (lease !== undefined) await engine.settle(lease, { tokens: each.tokens });
        break;
      }
      case "stream": {
        const engine = engines[each.process]!;
        const { lease } = await engine.admit({ ...caller(KEYS[each.key]!), estimate: { tokens: 0 } });
        if (lease !== undefined) engine.follow(lease, () => ({ tokens: each.tokens }));
        break;
      }
      case "say":
        percent = Math.min(100, percent + each.rise);
        await say(each.process, {});
        break;
      case "say-again":
        if (last !== undefined) await engines[each.process]!.observe("seat", [last]);
        break;
      case "say-late":
        if (last !== undefined)
          await say(each.process, { utilization: each.percent / 100, receivedAt: changedAt - 1 });
        break;
      case "reset":
        // Ends that differ by less than a minute are one end.
        time.now += 120_000;
        percent = Math.min(percent, each.percent);
        resetsAt = time.now + FIVE_HOURS;
        await say(each.process, {});
        break;
      case "wait":
        time.now += each.ms;
    }
  }
  await Promise.all(engines.map((engine) => engine.close()));
}

const histories = fc.array(event, { maxLength: 40 });

describe("whatever happens to an account that tells a percentage", () => {
  it("all of it is somebody's: the keys' parts and what is outside are what the provider said", async () => {
    await fc.assert(
      fc.asyncProperty(histories, (history) =>
        play(history, async ({ engine, poolId, percent }) => {
          const shown = (await engine.usage(poolId))!.dimensions[0]!;
          const { outside, attributed, consumedTotal, unallocated, held, free, perKey } = shown;
          expect(attributed + outside).toBe(percent * 1e6);
          // Each key's provisional part is rounded up by itself.
          const excess = perKey.reduce((sum, { consumed }) => sum + consumed, unallocated) - consumedTotal;
          expect(excess).toBeGreaterThanOrEqual(0);
          expect(excess).toBeLessThanOrEqual(perKey.length);
          expect(consumedTotal + held + outside + free!).toBe(
            Math.max(100e6, consumedTotal + held + outside),
          );
          for (const { consumed } of perKey) expect(consumed).toBeGreaterThanOrEqual(0);
          expect(attributed).toBeGreaterThanOrEqual(0);
          expect(outside).toBeGreaterThanOrEqual(0);
        }),
      ),
      { numRuns: 200 },
    );
  });

  it("a reading that comes late, or again, changes nothing", async () => {
    const final = async (history: readonly Event[]): Promise<unknown> => {
      let shown: unknown;
      await play([...history, { kind: "say", rise: 1, process: 0 }], async ({ engine, poolId }) => {
        const { perKey, outside, provisional } = (await engine.usage(poolId))!.dimensions[0]!;
        shown = { outside, provisional, parts: perKey.map(({ consumed }) => consumed) };
      });
      return shown;
    };
    const asWaits = (history: readonly Event[]): readonly Event[] =>
      history.map((each) =>
        each.kind === "say-late" || each.kind === "say-again" ? { kind: "wait", ms: 0 } : each,
      );
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        expect(await final(history)).toEqual(await final(asWaits(history)));
      }),
      { numRuns: 40 },
    );
  });
});
