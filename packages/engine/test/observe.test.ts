import { WINDOW_MS, type DimensionSpec, type ProviderReading } from "@quota/core";
import {
  createMemoryUsageStore,
  InvalidInputError,
  StoreError,
  type QuotaEngineOptions,
} from "@quota/engine";
import { describe, expect, it } from "vitest";
import { engineOver, START, switchable } from "./engineOver.js";

const HOUR = 3_600_000;
const FIVE_HOURS = 5 * HOUR;

const CODEX: readonly DimensionSpec[] = [
  { unit: "percent", window: "5h", limit: 100 },
  { unit: "percent", window: "weekly", limit: 100 },
];

const KIMI: readonly DimensionSpec[] = [{ unit: "requests", window: "hourly", limit: 100 }];

/** An engine over one pool, and a provider that says how full its window is. */
async function observed(
  dimensions: readonly DimensionSpec[] = CODEX,
  options: Partial<QuotaEngineOptions> = {},
) {
  const over = await engineOver({ dimensions, ...options });
  const { engine, another, time, caller } = over;
  const reading = (percent: number, more: Partial<ProviderReading> = {}): ProviderReading => ({
    provider: "codex",
    unit: dimensions[0]!.unit,
    window: dimensions[0]!.window,
    utilization: percent / 100,
    receivedAt: time.now,
    source: "test",
    ...more,
  });
  const use = async (key: string, tokens: number, by = engine): Promise<void> => {
    const { lease } = await by.admit({ ...caller(key), estimate: { tokens: 0 } });
    await by.settle(lease!, { tokens });
  };
  const dimension = async (i = 0, by = engine) => (await by.usage(over.pool.id))!.dimensions[i]!;
  const parts = async (i = 0, by = engine) =>
    Object.fromEntries(
      (await dimension(i, by)).perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed / 1e6]),
    );
  return { ...over, another, reading, use, dimension, parts, resets: START + FIVE_HOURS };
}

describe("a percentage that the provider tells", () => {
  it("was somebody else's, as far as it had risen before anybody looked", async () => {
    const { engine, reading, dimension, resets } = await observed();
    await engine.observe("seat", [reading(40, { resetsAt: resets })]);
    expect(await dimension()).toMatchObject({
      outside: 40e6,
      consumedTotal: 0,
      globalUsedPercent: 0.4,
      anchoredBy: "provider",
      opensAt: resets,
      reading: { utilization: 0.4, receivedAt: START, stale: false },
    });
  });

  it("is spread, as it rises, by what the keys have used since it last rose", async () => {
    const { engine, reading, use, parts, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 6000);
    await use("bob", 3000);
    await use("carol", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(10, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 6, bob: 3, carol: 1 });
    await use("carol", 500);
    time.now += 1000;
    await engine.observe("seat", [reading(11, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 6, bob: 3, carol: 2 });
    expect(await dimension()).toMatchObject({ attributed: 11e6, provisional: 0, measured: 0, outside: 0 });
  });

  it("keeps demand waiting while it does not rise: providers round", async () => {
    const { engine, reading, use, parts, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 500);
    time.now += 1000;
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("bob", 500);
    time.now += 1000;
    await engine.observe("seat", [reading(1, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 0.5, bob: 0.5, carol: 0 });
  });

  it("that rises without any demand of ours was used by the owner", async () => {
    const { engine, reading, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    time.now += 1000;
    await engine.observe("seat", [reading(7, { resetsAt: resets })]);
    expect(await dimension()).toMatchObject({ outside: 7e6, consumedTotal: 0 });
  });

  it("that rises far more than our demand is worth was used by the owner, but for that", async () => {
    const { engine, reading, use, parts, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    for (let percent = 1; percent <= 5; percent += 1) {
      await use("alice", 1000);
      time.now += 1000;
      await engine.observe("seat", [reading(percent, { resetsAt: resets })]);
    }
    await use("bob", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(45, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 5, bob: 1, carol: 0 });
    expect(await dimension()).toMatchObject({ outside: 39e6, globalUsedPercent: 0.45 });
  });

  it("is reckoned between two readings by what demand cost before, so that a burst is seen at once", async () => {
    const { engine, reading, use, parts, dimension, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(1, { resetsAt: resets })]);
    await use("alice", 60_000);
    expect(await parts()).toEqual({ alice: 61, bob: 0, carol: 0 });
    expect(await dimension()).toMatchObject({ attributed: 1e6, provisional: 60e6, mode: "strict" });
    expect((await engine.admit(caller("alice"))).decision).toMatchObject({ reason: "fair-share" });
    time.now += 1000;
    await engine.observe("seat", [reading(58, { resetsAt: resets })]);
    expect(await dimension()).toMatchObject({ attributed: 58e6, provisional: 0 });
  });

  it("is held, while requests are open, for what they are estimated to cost of it", async () => {
    const { engine, reading, use, dimension, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(1, { resetsAt: resets })]);
    const { lease } = await engine.admit({ ...caller("bob"), estimate: { tokens: 2000 } });
    expect(await dimension()).toMatchObject({ held: 2e6 });
    await engine.release(lease!);
    expect(await dimension()).toMatchObject({ held: 0, consumedTotal: 1e6 });
  });

  it("is spread over open streams, too, by what they have used so far", async () => {
    const { engine, reading, use, parts, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    const { lease } = await engine.admit({ ...caller("bob"), estimate: { tokens: 0 } });
    engine.follow(lease!, () => ({ tokens: 3000 }));
    await use("alice", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(4, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 1, bob: 3, carol: 0 });
    // Of what it was in the end only the rest waits for the next rise.
    await engine.settle(lease!, { tokens: 4000 });
    time.now += 1000;
    await engine.observe("seat", [reading(5, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 1, bob: 4, carol: 0 });
  });

  it("is not spread over what is used after it was said, however short the answers are", async () => {
    const { engine, reading, parts, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    const used = { alice: 0, bob: 0 };
    // Each answer tells, before it begins, what the answers before it have led to; and it is over before that is counted.
    for (let i = 0; i < 20; i += 1) {
      const key = i % 2 === 0 ? "alice" : "bob";
      const tokens = key === "alice" ? 2400 : 1200;
      time.now += 1000;
      const { lease } = await engine.admit({ ...caller(key), estimate: { tokens: 0 } });
      let soFar = 0;
      engine.follow(lease!, () => ({ tokens: soFar }));
      const percent = Math.floor((used.alice + used.bob) / 1000);
      const told = engine.observe("seat", [reading(percent, { resetsAt: resets })]);
      soFar = tokens;
      used[key] += tokens;
      await Promise.all([told, engine.settle(lease!, { tokens })]);
    }
    const { alice, bob } = await parts();
    expect(Math.abs(alice! - used.alice / 1000)).toBeLessThan(1.5);
    expect(Math.abs(bob! - used.bob / 1000)).toBeLessThan(1.5);
  });

  it("is spread over open streams after a reset, too, though it was higher before, and whatever a late reading says", async () => {
    const { engine, another, reading, parts, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(60, { resetsAt: resets })]);
    time.now = resets + 1000;
    const second = another();
    for (const each of [engine, second]) {
      const { lease } = await each.admit({ ...caller("alice"), estimate: { tokens: 0 } });
      each.follow(lease!, () => ({ tokens: 1000 }));
    }
    await engine.observe("seat", [reading(2, { resetsAt: resets + FIVE_HOURS })]);
    expect(await parts()).toEqual({ alice: 2, bob: 0, carol: 0 });
    await second.observe("seat", [reading(4, { resetsAt: resets + FIVE_HOURS, receivedAt: time.now - 1 })]);
    time.now += 1000;
    await second.observe("seat", [reading(4, { resetsAt: resets + FIVE_HOURS })]);
    expect(await parts()).toEqual({ alice: 4, bob: 0, carol: 0 });
  });

  it("weighs tokens by price where it is told what they weigh", async () => {
    const { engine, reading, parts, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    for (const [key, pricedTokens] of [
      ["alice", 100],
      ["bob", 900],
    ] as const) {
      const { lease } = await engine.admit(caller(key));
      await engine.settle(lease!, { tokens: 1000, pricedTokens });
    }
    time.now += 1000;
    await engine.observe("seat", [reading(10, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 1, bob: 9, carol: 0 });
  });

  it("takes the estimate's weight for an answer of which nothing is known", async () => {
    const { engine, reading, use, parts, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    const estimate = { tokens: 1000, pricedTokens: 3000 };
    const { lease } = await engine.admit({ ...caller("alice"), estimate });
    await engine.settle(lease!);
    await use("bob", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(4, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 3, bob: 1, carol: 0 });
  });

  it("of keys without an allocation is spread over them as one", async () => {
    const { engine, reading, use, parts, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    await use("zoe", 1000);
    await use("yan", 2000);
    time.now += 1000;
    await engine.observe("seat", [reading(4, { resetsAt: resets })]);
    expect(await parts()).toEqual({ alice: 1, bob: 0, carol: 0 });
    expect(await dimension()).toMatchObject({ consumedTotal: 4e6, outside: 0 });
  });

  it("changes nothing when it is said again, or late", async () => {
    const { engine, reading, use, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    const late = reading(1, { resetsAt: resets, receivedAt: START + 1 });
    time.now += 10_000;
    const newest = reading(2, { resetsAt: resets });
    await engine.observe("seat", [newest]);
    const before = await dimension();
    await engine.observe("seat", [newest]);
    await engine.observe("seat", [late]);
    expect(await dimension()).toEqual(before);
  });

  it("that resets by time starts again from nothing, and is not counted twice", async () => {
    const { engine, reading, use, parts, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(60, { resetsAt: resets })]);
    time.now = resets + 60_000;
    await use("bob", 1000);
    await engine.observe("seat", [reading(2, { resetsAt: resets + FIVE_HOURS })]);
    expect(await parts()).toEqual({ alice: 0, bob: 2, carol: 0 });
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0.02, outside: 0 });
  });

  it("that falls was reset early", async () => {
    const { engine, reading, use, parts, dimension, time, resets } = await observed();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    time.now += HOUR;
    await engine.observe("seat", [reading(60, { resetsAt: resets })]);
    time.now += 1000;
    await engine.observe("seat", [reading(0, { resetsAt: time.now + FIVE_HOURS })]);
    expect(await parts()).toEqual({ alice: 0, bob: 0, carol: 0 });
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0, opensAt: time.now + FIVE_HOURS });
  });

  it("is full from a refusal on, until its reset and not a millisecond longer", async () => {
    const { engine, reading, caller, time, resets } = await observed();
    await engine.observe("seat", [reading(100, { resetsAt: resets })]);
    const { decision } = await engine.admit(caller("alice"));
    expect(decision).toMatchObject({ reason: "global-saturated", decidedBy: "percent/5h", retryAt: resets });
    time.now = resets - 1;
    expect((await engine.admit(caller("alice"))).decision.allowed).toBe(false);
    time.now = resets;
    expect((await engine.admit(caller("alice"))).decision.allowed).toBe(true);
  });

  it("of a model or an overage is shown and fills nothing", async () => {
    const { engine, reading, caller, pool } = await observed();
    await engine.observe("seat", [reading(100, { scope: "sonnet" }), reading(100, { window: "7d_sonnet" })]);
    expect((await engine.admit(caller("alice"))).decision.allowed).toBe(true);
    expect(engine.signalsOf("seat")).toHaveLength(2);
    const { signals } = (await engine.usage(pool.id))!;
    expect(signals.map(({ reading: { window }, stale }) => [window, stale])).toEqual([
      ["5h", false],
      ["7d_sonnet", false],
    ]);
  });

  it("goes on for the seconds that a reading says the window has longer, and not a second more", async () => {
    const { engine, another, reading, use, parts, dimension, time, resets } = await observed();
    const second = another();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    time.now += 1000;
    await engine.observe("seat", [reading(60, { resetsAt: resets })]);
    time.now = resets + 500;
    await use("bob", 1000);
    await engine.observe("seat", [reading(61, { resetsAt: resets + 2000 })]);
    for (const each of [engine, second]) {
      const { attributed, outside, opensAt } = await dimension(0, each);
      expect({ all: attributed + outside, opensAt }).toEqual({ all: 61e6, opensAt: resets + 2000 });
    }
    expect(await parts()).toMatchObject({ alice: 60 });
    time.now = resets + 2000;
    expect(await dimension()).toMatchObject({
      attributed: 0,
      outside: 0,
      opensAt: resets + 2000 + FIVE_HOURS,
    });
    time.now += 30_000;
    await engine.observe("seat", [reading(1, { resetsAt: time.now + FIVE_HOURS })]);
    expect(await parts()).toEqual({ alice: 0, bob: 1, carol: 0 });
  });

  it("is the same for several processes, each rise claimed once", async () => {
    const { engine, another, reading, use, parts, dimension, time, resets } = await observed();
    const second = another();
    await engine.observe("seat", [reading(0, { resetsAt: resets })]);
    await use("alice", 1000);
    await use("bob", 3000, second);
    time.now += 1000;
    await Promise.all(
      [engine, second].map((each) => each.observe("seat", [reading(4, { resetsAt: resets })])),
    );
    expect(await parts()).toEqual({ alice: 1, bob: 3, carol: 0 });
    expect(await dimension(0, second)).toEqual(await dimension());
  });

  it("that comes while the store is away is counted with the next", async () => {
    const store = switchable(createMemoryUsageStore(), () => new StoreError("away", { applied: "no" }));
    const { engine, reading, dimension, time, resets } = await observed(CODEX, { store });
    store.on = false;
    await engine.observe("seat", [reading(30, { resetsAt: resets })]);
    store.on = true;
    time.now += 1000;
    await engine.observe("seat", [reading(10, { window: "weekly", resetsAt: resets + 10 * HOUR })]);
    expect((await dimension()).outside).toBe(30e6);
    expect((await dimension(1)).outside).toBe(10e6);
  });

  it.each([
    [{ utilization: NaN }, "readings[0].utilization"],
    [{ utilization: -0.1 }, "readings[0].utilization"],
    [{ unit: "euro" as never }, "readings[0].unit"],
    [{ receivedAt: undefined as never }, "readings[0].receivedAt"],
    [{ resetsAt: Infinity }, "readings[0].resetsAt"],
  ])("is refused where it is none: %j", async (more, path) => {
    const { engine, reading } = await observed();
    const observing = engine.observe("seat", [reading(1, more)]);
    await expect(observing).rejects.toThrow(InvalidInputError);
    await expect(observing).rejects.toMatchObject({ faults: [{ path }] });
    expect(engine.signalsOf("seat")).toEqual([]);
  });
});

describe("what the provider counts and we count, too", () => {
  it("is a lower bound: what it saw beyond our count is outside", async () => {
    const { engine, reading, use, dimension, resets } = await observed(KIMI);
    for (let i = 0; i < 10; i += 1) await use("alice", 1);
    await engine.observe("seat", [reading(30, { resetsAt: START + HOUR })]);
    await use("bob", 1);
    expect(resets).toBeGreaterThan(0);
    expect(await dimension()).toMatchObject({
      consumedTotal: 11,
      measured: 11,
      attributed: 0,
      outside: 20,
      globalUsedPercent: 0.31,
    });
  });

  it("takes what is held for part of what the provider has seen already", async () => {
    const { engine, reading, dimension, caller } = await observed(KIMI);
    await engine.admit({ ...caller("alice"), estimate: { requests: 5 } });
    await engine.observe("seat", [reading(5, { resetsAt: START + HOUR })]);
    expect((await dimension()).outside).toBe(0);
  });

  it("goes on from the rolling count when the provider says where its window lies", async () => {
    const { engine, reading, use, dimension, parts, time } = await observed(KIMI);
    for (let i = 0; i < 40; i += 1) await use("alice", 1);
    time.now += 1.5 * HOUR;
    for (let i = 0; i < 5; i += 1) await use("bob", 1);
    // Half of the 40 are still in the rolling window.
    expect((await dimension()).consumedTotal).toBe(25);
    await engine.observe("seat", [reading(0, { resetsAt: time.now + HOUR / 2 })]);
    expect(await dimension()).toMatchObject({ consumedTotal: 25, anchoredBy: "provider" });
    expect(await parts()).toMatchObject({ alice: 20e-6, bob: 5e-6 });
    time.now += HOUR / 2;
    expect(await dimension()).toMatchObject({ consumedTotal: 0, anchoredBy: "provider" });
  });

  it("stays in the provider's windows, one after the other, until a reading says otherwise", async () => {
    const { engine, reading, use, dimension, time } = await observed(KIMI);
    await engine.observe("seat", [reading(1, { resetsAt: START + HOUR / 4 })]);
    time.now = START + HOUR / 4 + 3 * HOUR + 600_000;
    await use("alice", 1);
    expect(await dimension()).toMatchObject({ consumedTotal: 1, opensAt: START + HOUR / 4 + 4 * HOUR });
    // The window began with its first use, later than reckoned: it is the same window, and the count goes on.
    time.now += 1000;
    const resetsAt = time.now + HOUR - 500;
    await engine.observe("seat", [reading(1, { resetsAt: resetsAt - 120_000 })]);
    expect(await dimension()).toMatchObject({ consumedTotal: 1, opensAt: resetsAt - 120_000 });
    // Readings that differ by seconds are of the same window, and do not shift it.
    time.now += 1000;
    await engine.observe("seat", [reading(1, { resetsAt: resetsAt - 117_000 })]);
    expect(await dimension()).toMatchObject({ consumedTotal: 1, opensAt: resetsAt - 120_000 });
  });

  it("fills in the limit that the plan does not know, and says so", async () => {
    const GLM: readonly DimensionSpec[] = [{ unit: "tokens", window: "5h", limit: "unknown" }];
    const { engine, reading, dimension, use, caller, resets } = await observed(GLM);
    await use("alice", 900);
    expect(await dimension()).toMatchObject({ limitFrom: "plan", mode: "unknown" });
    await engine.observe("seat", [reading(60, { resetsAt: resets, limit: 1500 })]);
    expect(await dimension()).toMatchObject({
      dimension: { limit: 1500 },
      limitFrom: "reading",
      mode: "strict",
      outside: 0,
    });
    expect((await engine.admit(caller("alice"))).decision).toMatchObject({ reason: "fair-share" });
    expect((await engine.admit(caller("bob"))).decision.allowed).toBe(true);
  });

  it("does not take a limit that is counted in something else: that would lock everybody out", async () => {
    const MINIMAX: readonly DimensionSpec[] = [{ unit: "tokens", window: "5h", limit: "unknown" }];
    const { engine, reading, dimension, use, caller, time, resets } = await observed(MINIMAX);
    await engine.observe("seat", [reading(0, { resetsAt: resets, limit: 1500 })]);
    await use("alice", 2000);
    expect((await engine.admit(caller("bob"))).decision.allowed).toBe(false);
    time.now += 30_000;
    await engine.observe("seat", [reading(1, { resetsAt: resets, limit: 1500 })]);
    expect((await engine.admit(caller("bob"))).decision.allowed).toBe(true);
    // Not in the next window, either.
    time.now = resets + 1;
    await engine.observe("seat", [reading(0, { resetsAt: resets + FIVE_HOURS, limit: 1500 })]);
    expect(await dimension()).toMatchObject({
      mode: "unknown",
      limitFrom: "plan",
      reading: { utilization: 0 },
    });
  });

  it("without a reset binds for a window's length", async () => {
    const { engine, reading, dimension, time } = await observed(KIMI);
    await engine.observe("seat", [reading(50)]);
    time.now += HOUR - 1;
    expect(await dimension()).toMatchObject({ outside: 50, anchoredBy: "rolling", reading: { stale: true } });
    time.now += 1;
    expect((await dimension()).outside).toBe(0);
  });
});

describe("a window that the plan anchors", () => {
  it("starts with the first use, as all processes agree", async () => {
    const plan = [{ ...KIMI[0]!, anchor: "first-use" as const }];
    const { engine, another, use, dimension, time } = await observed(plan);
    const second = another();
    time.now += 1234;
    await Promise.all([use("alice", 1), use("bob", 1, second)]);
    expect(await dimension()).toMatchObject({
      consumedTotal: 2,
      anchoredBy: "first-use",
      opensAt: START + 1234 + HOUR,
    });
    time.now += 2 * HOUR;
    await use("carol", 1, second);
    expect(await dimension()).toMatchObject({ consumedTotal: 1, opensAt: time.now + HOUR });
    await engine.close();
  });

  it("follows a calendar: a day of 23 hours ends after 23 hours", async () => {
    const plan = [
      { unit: "requests", window: "daily", limit: 100, anchor: { calendar: "Europe/Berlin" } } as const,
    ];
    const { use, dimension, time } = await observed(plan);
    time.now = Date.UTC(2026, 2, 28, 23);
    await use("alice", 1);
    expect(await dimension()).toMatchObject({ anchoredBy: "calendar", opensAt: Date.UTC(2026, 2, 29, 22) });
    time.now = Date.UTC(2026, 2, 29, 22);
    expect((await dimension()).consumedTotal).toBe(0);
  });

  it("hands out no fresh window when it is anchored, moved or given up in the middle", async () => {
    const { use, dimension, setPlan, time } = await observed(KIMI);
    for (let i = 0; i < 30; i += 1) await use("alice", 1);
    for (const anchor of ["first-use", undefined, "first-use"] as const) {
      await setPlan([{ ...KIMI[0]!, ...(anchor && { anchor }) }]);
      time.now += 1;
      await use("bob", 1);
      expect((await dimension()).consumedTotal).toBeGreaterThan(30);
    }
    time.now += HOUR;
    expect((await dimension()).consumedTotal).toBe(0);
  });

  it.each([
    ["hourly", "first-use", 33],
    ["daily", { calendar: "Asia/Kathmandu" }, 44],
  ] as const)(
    "hands out no fresh window when a rolling one (%s) is anchored soon after a slot has ended",
    async (window, anchor, counted) => {
      const rolling: DimensionSpec = { ...KIMI[0]!, window };
      const { use, dimension, setPlan, time } = await observed([rolling]);
      for (let i = 0; i < 45; i += 1) await use("alice", 1);
      time.now += WINDOW_MS[window] + HOUR / 4;
      expect(Math.floor((await dimension()).consumedTotal)).toBe(counted);
      await setPlan([{ ...rolling, anchor }]);
      await use("carol", 1);
      expect((await dimension()).consumedTotal).toBeGreaterThan(counted);
    },
  );
});
