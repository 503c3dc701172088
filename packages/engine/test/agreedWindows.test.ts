import type { DimensionSpec, ProviderReading } from "@quota/core";
import { createMemoryUsageStore, StoreError, type Step, type UsageStore } from "@quota/engine";
import { describe, expect, it } from "vitest";
import { engineOver, START, switchable } from "./engineOver.js";

const HOUR = 3_600_000;
const CODEX: readonly DimensionSpec[] = [{ unit: "percent", window: "5h", limit: 100 }];
const KIMI: readonly DimensionSpec[] = [{ unit: "requests", window: "hourly", limit: 100 }];
const FIRST_USE: readonly DimensionSpec[] = [{ ...KIMI[0]!, anchor: "first-use" }];

const away = (): Error => new StoreError("away", { applied: "no" });

describe("windows that are agreed on in the ledger", () => {
  it("begin anew, and nobody is shut out, when the ledger has lost what it held", async () => {
    const store = replaceable(createMemoryUsageStore());
    const { spend, dimension, time } = await engineOver({ store, dimensions: FIRST_USE });
    await spend("alice");
    store.current = createMemoryUsageStore();
    time.now += 1000;
    expect(await spend("alice")).toMatchObject({ status: "allowed" });
    expect(await dimension()).toMatchObject({ consumedTotal: 1, opensAt: time.now + HOUR });
  });

  it("are not believed where what two stores held was added up: they would not end for decades", async () => {
    const { store, pool, spend, dimension, time } = await engineOver({ dimensions: FIRST_USE });
    await spend("alice");
    const counters = [
      "revision",
      ...["number", "by", "opens", "resets"].map((each) => `requests/hourly|${each}`),
    ].map((id) => ({ id: `window|${id}`, bucket: 0, expiresAt: START + 400 * 24 * HOUR }));
    await store.transact({
      ...{ ledger: `pool:${pool.incarnation}`, counters, now: time.now },
      decide: (amounts) => ({ result: undefined, additions: amounts }),
    });
    time.now += 1000;
    await spend("alice");
    expect(await dimension()).toMatchObject({ anchoredBy: "first-use", opensAt: time.now + HOUR });
    time.now += HOUR;
    await spend("alice");
    expect(await dimension()).toMatchObject({ consumedTotal: 1, opensAt: time.now + HOUR });
  });

  it("take in what is said after a process whose clock was a day ahead", async () => {
    const { engine, another, dimension, time } = await engineOver({ dimensions: CODEX });
    const ahead = another({ clock: { now: () => time.now + 24 * HOUR } });
    const percent = (of: number, receivedAt: number): ProviderReading =>
      reading({
        ...{ unit: "percent", window: "5h" },
        utilization: of / 100,
        receivedAt,
        resetsAt: receivedAt + HOUR,
      });
    await ahead.observe("seat", [percent(10, time.now + 24 * HOUR)]);
    time.now += 1000;
    await engine.observe("seat", [percent(30, time.now)]);
    expect(await dimension()).toMatchObject({ globalUsedPercent: 0.3, opensAt: time.now + HOUR });
  });

  it("are known, with what is counted in them, when the store goes away right after they moved", async () => {
    const store = switchable(createMemoryUsageStore(), away);
    const { engine, spend, caller, time } = await engineOver({
      ...{ store, dimensions: KIMI, whenStoreFails: "last-known" },
      pool: { allocations: [{ apiKeyId: "alice", weight: 100 }] },
    });
    for (let i = 0; i < 100; i += 1) await spend("alice");
    time.now += 1000;
    await engine.observe("seat", [reading({ utilization: 1, resetsAt: START + HOUR, receivedAt: time.now })]);
    store.on = false;
    expect((await engine.admit(caller("alice"))).decision).toMatchObject({ allowed: false });
    time.now = START + HOUR;
    expect((await engine.admit(caller("alice"))).decision).toMatchObject({ allowed: true });
  });

  it("are decided on again by whoever lost the answer, and claimed once all the same", async () => {
    const store = forgetful(createMemoryUsageStore());
    const { engine, another, caller, dimension, time } = await engineOver({ store, dimensions: CODEX });
    const percent = (of: number): ProviderReading =>
      reading({ unit: "percent", window: "5h", utilization: of / 100, receivedAt: time.now });
    await engine.observe("seat", [percent(0)]);
    const { lease } = await engine.admit({ ...caller("alice"), estimate: { tokens: 0 } });
    await engine.settle(lease!, { tokens: 1000 });
    time.now += 10_000;
    store.loses = true;
    await engine.observe("seat", [percent(4)]);
    store.loses = false;
    time.now += 10_000;
    await another().observe("seat", [percent(4)]);
    expect(await dimension()).toMatchObject({ attributed: 4e6, outside: 0, provisional: 0 });
    // What was not known to be counted is said again with the next, and changes nothing.
    time.now += 10_000;
    await engine.observe("seat", [percent(5)]);
    expect(await dimension()).toMatchObject({ attributed: 4e6, outside: 1e6 });
  });

  it("open while the store is away, and what was used meanwhile counts in the one that is open when it is back", async () => {
    const store = switchable(createMemoryUsageStore(), away);
    const { engine, admit, spend, dimension, time } = await engineOver({ store, dimensions: FIRST_USE });
    await spend("alice");
    time.now += HOUR;
    store.on = false;
    const { decision, lease } = await admit("alice");
    expect(decision.status).toBe("unjudged");
    await engine.settle(lease!);
    store.on = true;
    await spend("bob");
    await engine.close();
    expect(await dimension()).toMatchObject({ consumedTotal: 2, held: 0, opensAt: time.now + HOUR });
  });

  it("are those of one life of a pool: one that is made anew begins with none", async () => {
    const { engine, pools, pool, spend, time } = await engineOver({ dimensions: FIRST_USE });
    await spend("alice");
    await pools.delete(pool.id);
    time.now += 1000;
    const anew = await pools.create({ connectionId: "seat", name: "Again", allocations: [] }, time.now);
    expect((await engine.usage(anew.id))!.dimensions[0]).toMatchObject({
      consumedTotal: 0,
      anchoredBy: "rolling",
    });
    await spend("alice");
    expect((await engine.usage(anew.id))!.dimensions[0]).toMatchObject({
      consumedTotal: 1,
      opensAt: time.now + HOUR,
    });
  });

  it("take a limit that was unknown and is planned now, from their own use", async () => {
    const unknown: readonly DimensionSpec[] = [{ ...KIMI[0]!, limit: "unknown" }];
    const { engine, spend, setPlan, dimension, time } = await engineOver({ dimensions: unknown });
    for (let i = 0; i < 40; i += 1) await spend("alice");
    await engine.observe("seat", [
      reading({ utilization: 0.5, limit: 100, resetsAt: START + HOUR, receivedAt: time.now }),
    ]);
    expect(await dimension()).toMatchObject({ limitFrom: "reading", consumedTotal: 40, outside: 10 });
    await setPlan([{ ...KIMI[0]!, limit: 10 }]);
    expect(await spend("alice")).toMatchObject({
      reason: "global-saturated",
      dimensions: [{ remaining: 0 }],
    });
    await setPlan(KIMI);
    expect(await spend("bob")).toMatchObject({ status: "allowed" });
    expect(await dimension()).toMatchObject({ limitFrom: "plan", consumedTotal: 41 });
  });

  it("spread a rise over those who used something, in a step no larger than they need, in a pool of thousands of keys", async () => {
    const store = measured(createMemoryUsageStore());
    const allocations = Array.from({ length: 3000 }, (_, i) => ({ apiKeyId: `key ${String(i)}`, weight: 0 }));
    const { engine, caller, dimension, time } = await engineOver({
      ...{ store, dimensions: CODEX, pool: { allocations } },
    });
    const percent = (of: number): ProviderReading =>
      reading({ unit: "percent", window: "5h", utilization: of / 100, receivedAt: time.now });
    await engine.observe("seat", [percent(0)]);
    for (const [key, tokens] of [
      ["key 7", 3000],
      ["key 2999", 1000],
    ] as const) {
      const { lease } = await engine.admit({ ...caller(key), estimate: { tokens: 0 } });
      await engine.settle(lease!, { tokens });
    }
    time.now += 10_000;
    store.largest = 0;
    await engine.observe("seat", [percent(8)]);
    const { perKey, outside } = await dimension();
    expect(perKey.filter(({ consumed }) => consumed > 0).map(({ consumed }) => consumed)).toEqual([6e6, 2e6]);
    expect(outside).toBe(0);
    expect(store.largest).toBeLessThanOrEqual(500);
  });
});

describe("what a provider tells with every answer", () => {
  it("does not make every process decide its requests twice, and is claimed by the right one all the same", async () => {
    const store = measured(createMemoryUsageStore());
    const both: readonly DimensionSpec[] = [...CODEX, { ...KIMI[0]!, window: "daily", limit: 1000 }];
    const { engine, another, caller, dimension, time } = await engineOver({ store, dimensions: both });
    const second = another();
    const use = async (by = engine): Promise<void> => {
      const { lease } = await by.admit({ ...caller("alice"), estimate: { tokens: 0 } });
      await by.settle(lease!, { tokens: 1000 });
    };
    const tell = async (percent: number, by = engine): Promise<void> => {
      time.now += 10_000;
      await by.observe("seat", [
        reading({ unit: "percent", window: "5h", utilization: percent / 100, receivedAt: time.now }),
        reading({ window: "daily", utilization: percent / 1000, receivedAt: time.now }),
      ]);
    };
    await tell(0);
    await use();
    await tell(1);
    await use(second);
    for (const percent of [2, 3, 4]) {
      await tell(percent);
      store.steps = 0;
      await use(second);
      expect(store.steps).toBe(2);
    }
    // It has not heard what the others know by now.
    await tell(5, second);
    expect(await dimension()).toMatchObject({ attributed: 5e6, outside: 0, provisional: 0 });
  });
});

function reading(said: Partial<ProviderReading>): ProviderReading {
  return {
    ...{ provider: "kimi", unit: "requests", window: "hourly", utilization: 0, source: "test" },
    ...{ receivedAt: START, resetsAt: START + 5 * HOUR },
    ...said,
  };
}

/** A store in whose place another is put. */
function replaceable(first: UsageStore): UsageStore & { current: UsageStore } {
  return {
    current: first,
    transact<Result>(step: Step<Result>) {
      return this.current.transact(step);
    },
    read(ledger, counters) {
      return this.current.read(ledger, counters);
    },
    forget: (before) => first.forget(before),
    close: () => first.close(),
  };
}

/** A store that does what is asked of it, and whose answers are lost. */
function forgetful(store: UsageStore): UsageStore & { loses: boolean } {
  return {
    ...store,
    loses: false,
    async transact(step) {
      const result = await store.transact(step);
      if (this.loses) throw new StoreError("The answer was lost.", { applied: "unknown" });
      return result;
    },
  };
}

/** A store that tells how many steps it took, and how many counters the largest had. */
function measured(store: UsageStore): UsageStore & { largest: number; steps: number } {
  return {
    ...store,
    largest: 0,
    steps: 0,
    transact(step) {
      this.steps += 1;
      this.largest = Math.max(this.largest, step.counters.length);
      return store.transact(step);
    },
  };
}
