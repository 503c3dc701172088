import {
  parseDimensions,
  type AllocationSpec,
  type Amounts,
  type DimensionSpec,
  type PoolSpec,
} from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  type QuotaEngineOptions,
  type UsageStore,
} from "@quota/engine";

/** A Monday, at the start of every window. */
export const START = Date.UTC(2026, 0, 5);

export const HOURLY_100: readonly DimensionSpec[] = [{ unit: "requests", window: "hourly", limit: 100 }];

const TEAM: readonly AllocationSpec[] = [
  { apiKeyId: "alice", weight: 50 },
  { apiKeyId: "bob", weight: 30 },
  { apiKeyId: "carol", weight: 20 },
];

/** An engine over one pool in memory, with a clock that stands still unless the test moves it. */
export async function engineOver(
  setup: Partial<QuotaEngineOptions> & {
    readonly dimensions?: readonly DimensionSpec[];
    readonly pool?: Partial<PoolSpec>;
  } = {},
) {
  const { dimensions = HOURLY_100, pool: terms, ...options } = setup;
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const time = { now: START };
  const store = options.store ?? createMemoryUsageStore();
  const pool = await pools.create({ connectionId: "seat", name: "Team", allocations: TEAM, ...terms }, START);
  const setPlan = async (specs: readonly DimensionSpec[]): Promise<void> => {
    const parsed = parseDimensions(specs);
    if (!parsed.ok) throw new Error(parsed.faults.map((fault) => fault.message).join(" "));
    await plans.set("seat", parsed.value);
  };
  await setPlan(dimensions);
  const caller = (apiKeyId: string) => ({ apiKeyId, connectionId: "seat", provider: "kimi" });
  const another = (more: Partial<QuotaEngineOptions> = {}) =>
    createQuotaEngine({ store, pools, plans, clock: { now: () => time.now }, ...options, ...more });
  const engine = another();
  return {
    engine,
    another,
    pools,
    plans,
    pool,
    store,
    time,
    setPlan,
    caller,
    admit: (apiKeyId: string, estimate?: Amounts) => engine.admit({ ...caller(apiKeyId), estimate }),
    /** Admits and settles at once; what the decision was. */
    async spend(apiKeyId: string, amounts?: Amounts) {
      const { decision, lease } = await engine.admit({ ...caller(apiKeyId), estimate: amounts });
      if (lease) await engine.settle(lease, amounts);
      return decision;
    },
    async dimension(i = 0) {
      const usage = await engine.usage(pool.id);
      return usage!.dimensions[i]!;
    },
    async key(apiKeyId: string, i = 0) {
      const usage = await engine.usage(pool.id);
      return usage!.dimensions[i]!.perKey.find((key) => key.apiKeyId === apiKeyId)!;
    },
  };
}

/** A store that can be switched off: what is asked of it meanwhile fails as a store that cannot be reached does. */
export function switchable(store: UsageStore, failure: () => Error): UsageStore & { on: boolean } {
  return {
    on: true,
    async transact(step) {
      if (!this.on) throw failure();
      return store.transact(step);
    },
    async read(ledger, counters) {
      if (!this.on) throw failure();
      return store.read(ledger, counters);
    },
    forget: (before) => store.forget(before),
    close: () => store.close(),
  };
}
