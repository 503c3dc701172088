import type { Amounts, WhenStoreFails } from "@quota/core";
import {
  createMemoryUsageStore,
  StoreError,
  worstCaseOvershoot,
  type Lease,
  type QuotaEngine,
} from "@quota/engine";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { engineOver, START, switchable } from "./engineOver.js";

const LIMIT = 100;
const away = () => new StoreError("not there", { applied: "no" });
const silent = () => new StoreError("no answer", { applied: "unknown" });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Some processes on one store, which can be away for each of them by itself. */
async function processes(count: number, whenStoreFails: WhenStoreFails, failure = away) {
  const shared = createMemoryUsageStore();
  const house = await engineOver({ store: shared, pool: { whenStoreFails } });
  const gateways = Array.from({ length: count }, () => {
    const store = switchable(shared, failure);
    return { store, engine: house.another({ store, replicas: count }) };
  });
  /** How many of so many are let pass, and their leases. */
  const burst = async (engine: QuotaEngine, asked: number, apiKeyId = "alice") => {
    const leases: Lease[] = [];
    const told: string[] = [];
    for (let i = 0; i < asked; i += 1) {
      const { decision, lease } = await engine.admit(house.caller(apiKeyId));
      told.push(decision.status);
      if (lease) leases.push(lease);
    }
    return { leases, told };
  };
  return { ...house, gateways, burst };
}

describe("a pool judged on what was last known", () => {
  it("is decided by the rule, on the last reading and what was added here since", async () => {
    const { gateways, burst, dimension } = await processes(2, "last-known");
    const [one, two] = gateways;
    await burst(one!.engine, 40, "bob");
    await burst(two!.engine, 1, "alice");
    one!.store.on = false;
    // 40 known of bob: 10 more until it is strict, and then he is past his share.
    const { told } = await burst(one!.engine, 15, "bob");
    expect(told.filter((status) => status === "allowed")).toHaveLength(10);
    const refused = await one!.engine.admit({ apiKeyId: "bob", connectionId: "seat", provider: "kimi" });
    expect(refused.decision).toMatchObject({
      status: "refused",
      cause: "fair-share",
      decidedBy: "requests/hourly",
    });
    expect(
      (await burst(one!.engine, 60, "alice")).told.filter((status) => status === "allowed"),
    ).toHaveLength(50);
    expect(await dimension()).toMatchObject({ held: 41 });
  });

  it("counts what ends meanwhile, and knows it in the store once that is back", async () => {
    const { gateways, burst, dimension } = await processes(1, "last-known");
    const { engine, store } = gateways[0]!;
    const before = await burst(engine, 50, "alice");
    store.on = false;
    // Strict: bob has his share of 30.
    const during = await burst(engine, 40, "bob");
    expect(during.leases).toHaveLength(30);
    for (const lease of before.leases.slice(0, 35)) await engine.release(lease);
    for (const lease of during.leases) await engine.settle(lease);
    // 15 and 30: five more until it is strict again.
    expect((await burst(engine, 9, "bob")).leases).toHaveLength(5);
    store.on = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(await dimension()).toMatchObject({ consumedTotal: 30, held: 15 });
    await engine.close();
  });

  it("is unavailable where not even the pool can be found", async () => {
    const { another, caller } = await engineOver({ whenStoreFails: "last-known" });
    const engine = another({
      pools: { ofConnection: () => Promise.reject(away()), get: () => Promise.reject(away()) },
    });
    expect((await engine.admit(caller("alice"))).decision.status).toBe("unavailable");
  });
});

describe("a budget", () => {
  it("of a percentage is reckoned by what demand cost before; while nobody can tell, nothing passes", async () => {
    const { gateways, time, caller, setPlan } = await processes(1, { budget: 0.1 });
    const { engine, store } = gateways[0]!;
    await setPlan([{ unit: "percent", window: "5h", limit: 100 }]);
    const passes = async (estimate: Amounts): Promise<boolean> => {
      const { decision, lease } = await engine.admit({ ...caller("alice"), estimate });
      if (lease) await engine.settle(lease, estimate);
      return decision.allowed;
    };
    const observe = (percent: number): Promise<void> =>
      engine.observe("seat", [
        {
          ...({ provider: "codex", unit: "percent", window: "5h", source: "test" } as const),
          ...{ utilization: percent / 100, resetsAt: START + 18_000_000, receivedAt: time.now },
        },
      ]);
    store.on = false;
    expect(await passes({ tokens: 1 })).toBe(false);
    store.on = true;
    await observe(0);
    await passes({ tokens: 1000 });
    time.now += 1000;
    await observe(1);
    store.on = false;
    const told: boolean[] = [];
    for (let i = 0; i < 12; i += 1) told.push(await passes({ tokens: 1000 }));
    expect(told.filter(Boolean)).toHaveLength(10);
    store.on = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(await passes({ tokens: 1000 })).toBe(true);
    store.on = false;
    expect(await passes({ tokens: 10_000 })).toBe(true);
  });

  it("is each process's part of the limit; then requests are unavailable, and pass again when theirs are written", async () => {
    const { gateways, burst, dimension } = await processes(4, { budget: 0.1 });
    const { engine, store } = gateways[0]!;
    store.on = false;
    const { told, leases } = await burst(engine, 4);
    expect(told).toEqual(["unjudged", "unjudged", "unavailable", "unavailable"]);
    for (const lease of leases) await engine.settle(lease);
    expect((await burst(engine, 1)).told).toEqual(["unavailable"]);
    store.on = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(await dimension()).toMatchObject({ consumedTotal: 2 });
    store.on = false;
    expect((await burst(engine, 3)).told).toEqual(["unjudged", "unjudged", "unavailable"]);
  });

  it("has room again for what is released, and none for what took more than was estimated", async () => {
    const { gateways, burst } = await processes(1, { budget: 0.1 });
    const { engine, store } = gateways[0]!;
    store.on = false;
    const { leases } = await burst(engine, 10);
    for (const lease of leases.slice(0, 4)) await engine.release(lease);
    expect((await burst(engine, 6)).told.filter((status) => status === "unjudged")).toHaveLength(4);
    await engine.settle(leases[4]!, { requests: 5 });
    await engine.release(leases[5]!);
    expect((await burst(engine, 1)).told).toEqual(["unavailable"]);
  });

  it("is not refilled by settlements whose replies are lost, until the store works", async () => {
    const { gateways, burst } = await processes(1, { budget: 0.02 }, silent);
    const { engine, store } = gateways[0]!;
    store.on = false;
    const { leases } = await burst(engine, 2);
    for (const lease of leases) await engine.settle(lease);
    expect((await burst(engine, 1)).told).toEqual(["unavailable"]);
    store.on = true;
    expect((await burst(engine, 1)).told).toEqual(["allowed"]);
    store.on = false;
    expect((await burst(engine, 3)).told).toEqual(["unjudged", "unjudged", "unavailable"]);
  });
});

/** Any history of outages, each process by itself, of requests that take what was estimated. */
const histories = fc.array(
  fc.record({
    process: fc.nat(2),
    act: fc.constantFrom("admit", "admit", "admit", "settle", "release", "away", "back"),
    times: fc.integer({ min: 1, max: 40 }),
  }),
  { maxLength: 40 },
);

describe.each<[string, WhenStoreFails]>([
  ["deny", "deny"],
  ["a budget of 5 %", { budget: 0.05 }],
  ["a budget of half", { budget: 0.5 }],
  ["last-known", "last-known"],
])("under %s, all processes together", (_, whenStoreFails) => {
  it("never pass the limit by more than worstCaseOvershoot says", async () => {
    const bound = worstCaseOvershoot({ limit: LIMIT }, { whenStoreFails, replicas: 3 }) as number;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const { gateways, caller } = await processes(3, whenStoreFails);
        const open: { readonly lease: Lease; readonly engine: QuotaEngine }[] = [];
        let taken = 0;
        for (const { process, act, times } of history) {
          const { engine, store } = gateways[process]!;
          if (act === "away" || act === "back") {
            store.on = act === "back";
            if (store.on) await vi.advanceTimersByTimeAsync(500);
            continue;
          }
          for (let i = 0; i < times; i += 1) {
            if (act === "admit") {
              const { lease } = await engine.admit(caller(i % 2 === 0 ? "alice" : "bob"));
              if (lease === undefined) break;
              open.push({ lease, engine });
              taken += 1;
            } else {
              const next = open.pop();
              if (next === undefined) break;
              if (act === "release") taken -= 1;
              await next.engine[act](next.lease);
            }
          }
          expect(taken).toBeLessThanOrEqual(LIMIT + bound);
        }
      }),
      { numRuns: 150 },
    );
  });
});

it("says what each policy risks at worst", () => {
  const limit = 1500;
  const risk = (whenStoreFails: WhenStoreFails, replicas = 3) =>
    worstCaseOvershoot({ limit }, { whenStoreFails, replicas });
  expect([risk("allow"), risk("deny"), risk("last-known")]).toEqual(["unlimited", 0, 4500]);
  expect(risk({ budget: 0.01 })).toBe(15);
  // Whole requests, rounded down in each process.
  expect(risk({ budget: 0.01 }, 4)).toBe(12);
  expect(worstCaseOvershoot({ limit: "unknown" }, { whenStoreFails: "deny", replicas: 1 })).toBe("unknown");
});

it.each([
  ["whenStoreFails", { whenStoreFails: "maybe" as "allow" }],
  ["whenStoreFails", { whenStoreFails: { budget: 2 } }],
  ["replicas", { replicas: 0 }],
])("an engine is not made with a bad %s (%o)", async (field, options) => {
  await expect(engineOver(options)).rejects.toMatchObject({ name: "QuotaConfigError", field });
});
