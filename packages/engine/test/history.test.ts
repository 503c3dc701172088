import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Lease } from "@quota/engine";
import { engineOver, START } from "./engineOver.js";

const KEYS = ["alice", "bob", "carol", "mallory"] as const;
const LIMIT = 60;

type Event =
  | { readonly does: "admit"; readonly key: number; readonly cost: number }
  | { readonly does: "settle"; readonly which: number; readonly part: number }
  | { readonly does: "release"; readonly which: number }
  | { readonly does: "wait"; readonly ms: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("admit" as const),
      key: fc.nat(KEYS.length - 1),
      cost: fc.nat(20),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("settle" as const),
      which: fc.nat(),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("release" as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("wait" as const),
      ms: fc.oneof(fc.nat(10_000), fc.nat(4_000_000)),
    }),
  },
);

/** Plays a history in which nothing costs more than its estimate; tells what happened at every step. */
async function play(
  setup: { readonly edge: "weighted" | "full" | "fixed"; readonly threshold: number },
  history: readonly Event[],
  inspect: (seen: {
    readonly admitted: readonly { at: number; cost: number }[];
    readonly now: number;
  }) => void,
) {
  const shape =
    setup.edge === "fixed"
      ? { anchor: "epoch" as const }
      : setup.edge === "full"
        ? { edge: "full" as const, slots: 4 }
        : {};
  const world = await engineOver({
    dimensions: [{ unit: "tokens", window: "hourly", limit: LIMIT, ...shape }],
    pool: { saturationThreshold: setup.threshold },
  });
  const open: { readonly lease: Lease; readonly cost: number }[] = [];
  const charged: { at: number; cost: number }[] = [];
  for (const happens of history) {
    if (happens.does === "wait") world.time.now += happens.ms;
    else if (happens.does === "admit") {
      const before = await world.dimension();
      const { decision, lease } = await world.admit(KEYS[happens.key]!, { tokens: happens.cost });
      if (lease) open.push({ lease, cost: happens.cost });
      else expect(await world.dimension()).toEqual(before);
      if (decision.status === "refused" && decision.reason === "fair-share") {
        const [answer] = decision.dimensions;
        expect(answer!.used).toBeGreaterThanOrEqual(answer!.share!);
      }
    } else if (open.length > 0) {
      const [{ lease, cost }] = open.splice(happens.which % open.length, 1) as [
        { lease: Lease; cost: number },
      ];
      const actual = happens.does === "settle" ? Math.round(cost * happens.part) : 0;
      if (happens.does === "settle") await world.engine.settle(lease, { tokens: actual });
      else await world.engine.release(lease);
      charged.push({ at: world.time.now, cost: actual });
    }
    const dimension = await world.dimension();
    const perKey = dimension.perKey.reduce((sum, key) => sum + key.consumed + key.held, 0);
    expect(perKey).toBeLessThanOrEqual(dimension.consumedTotal + dimension.held + 1e-9);
    const consumed = dimension.perKey.reduce((sum, key) => sum + key.consumed, 0);
    expect(consumed + dimension.unallocated).toBeCloseTo(dimension.consumedTotal, 9);
    expect(dimension.unallocated).toBeGreaterThanOrEqual(0);
    const { consumedTotal, held, outside, free } = dimension;
    expect(consumedTotal + held + outside + free!).toBeCloseTo(Math.max(LIMIT, consumedTotal + held), 9);
    inspect({ admitted: charged, now: world.time.now });
  }
  return { world, open, charged };
}

describe("any history in which nothing costs more than its estimate", () => {
  const setup = fc.record({
    edge: fc.constantFrom("weighted" as const, "full" as const, "fixed" as const),
    threshold: fc.constantFrom(0, 0.5, 1),
  });

  it("never counts more than the limit, and never refuses a key inside its share with fair-share", async () => {
    await fc.assert(
      fc.asyncProperty(setup, fc.array(event, { maxLength: 60 }), async (terms, history) => {
        const { world } = await play(terms, history, () => undefined);
        const { consumedTotal, held } = await world.dimension();
        expect(consumedTotal + held).toBeLessThanOrEqual(LIMIT + 1e-9);
      }),
      { numRuns: 100 },
    );
  });

  it("with the oldest slot counted whole, no true hour ever holds more than the limit", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 80 }), async (history) => {
        await play({ edge: "full", threshold: 1 }, history, ({ admitted, now }) => {
          const lastHour = admitted
            .filter(({ at }) => at > now - 3_600_000)
            .reduce((sum, { cost }) => sum + cost, 0);
          expect(lastHour).toBeLessThanOrEqual(LIMIT);
        });
      }),
      { numRuns: 100 },
    );
  });

  it("ends with no hold once every lease is closed, and with exactly what was settled in its last window", async () => {
    await fc.assert(
      fc.asyncProperty(setup, fc.array(event, { maxLength: 60 }), async (terms, history) => {
        const { world, open, charged } = await play({ ...terms, edge: "fixed" }, history, () => undefined);
        for (const { lease } of open) await world.engine.release(lease);
        const { consumedTotal, held } = await world.dimension();
        const windowStart = Math.floor(world.time.now / 3_600_000) * 3_600_000;
        expect(held).toBe(0);
        expect(consumedTotal).toBe(
          charged.filter(({ at }) => at >= windowStart).reduce((sum, { cost }) => sum + cost, 0),
        );
        expect(world.time.now).toBeGreaterThanOrEqual(START);
      }),
      { numRuns: 100 },
    );
  });
});
