import { parseDimensions, type AllocationSpec, type DimensionSpec, type PoolSpec } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  type QuotaEngine,
  type QuotaEngineOptions,
  type UsageStore,
} from "@quota/engine";

const START = Date.UTC(2026, 0, 5, 12);

/** An engine over memory with one pool, "team", on the connection "seat", shared by alice (50), bob (30) and carol (20). */
export async function team(
  setup: {
    readonly dimensions?: readonly DimensionSpec[];
    readonly allocations?: readonly AllocationSpec[];
    readonly pool?: Partial<PoolSpec>;
    readonly store?: UsageStore;
  } & Partial<Pick<QuotaEngineOptions, "whenStoreFails">> = {},
) {
  const {
    dimensions = [{ unit: "requests", window: "hourly", limit: 100 }],
    allocations = [
      { apiKeyId: "alice", weight: 50 },
      { apiKeyId: "bob", weight: 30 },
      { apiKeyId: "carol", weight: 20 },
    ],
  } = setup;
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  await pools.create({ id: "team", connectionId: "seat", name: "Team", allocations, ...setup.pool }, START);
  const parsed = parseDimensions(dimensions);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  await plans.set("seat", parsed.value);
  const time = { now: START };
  const clock = { now: () => time.now };
  const { store = createMemoryUsageStore(), whenStoreFails } = setup;
  const engine = createQuotaEngine({ store, pools, plans, clock, whenStoreFails, providerOf: () => "kimi" });
  return { engine, pools, plans, time, clock, store };
}

/** Waits, by turns of the loop, until no lease is open. */
export async function quiet(engine: QuotaEngine): Promise<void> {
  while (engine.status().openLeases > 0) await new Promise((resolve) => setImmediate(resolve));
  // A lease is closed before its settlement is written.
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What is written in the pool's books: settled and held, in units, of its first dimension. */
export async function books(
  engine: QuotaEngine,
): Promise<{ readonly consumed: number; readonly held: number }> {
  await quiet(engine);
  const [dimension] = (await engine.usage("team"))!.dimensions;
  return { consumed: dimension!.consumedTotal, held: dimension!.held };
}
