import {
  parseDimensions,
  type Decision,
  type EpochMs,
  type LendingSpec,
  type Pool,
  type WindowName,
} from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  type QuotaEngine,
  type QuotaRequest,
} from "@quota/engine";
import type { Workload } from "./workload.js";

/** A moment at which every fixed window on the epoch begins, from the shortest to the longest: all lengths divide it. */
export const BEGINNING: EpochMs = 97 * 5040 * 3_600_000;

/** A pool of one connection, governed by the engine that governs real ones, over the store that is the reference for all. */
export interface SimulatedPool {
  readonly engine: QuotaEngine;
  /** What each key sends, in the workload's order. */
  readonly requests: readonly QuotaRequest[];
  /** What the engine would answer a key at another time, if nobody acted until then. Changes nothing. */
  foresee(key: number, at: EpochMs): Promise<Decision>;
  /** The provider's next reading says that so much of the window is used. */
  read(utilization: number, resetsAt: EpochMs): Promise<void>;
  weigh(weights: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

const CONNECTION = "simulated";
const PROVIDER = "simulator";

/** Makes a pool under this rule; `clock` is read once per request. */
export async function createSimulatedPool(
  { keys, window, limit }: Pick<Workload, "keys" | "window" | "limit">,
  lending: LendingSpec,
  clock: { now(): EpochMs },
): Promise<SimulatedPool> {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const store = createMemoryUsageStore();
  const allocate = (weights: readonly number[]): { readonly apiKeyId: string; readonly weight: number }[] =>
    keys.map(({ id }, i) => ({ apiKeyId: id, weight: weights[i]! }));
  await plans.set(CONNECTION, dimensionsOf(window, limit));
  const spec = {
    connectionId: CONNECTION,
    name: "Simulated",
    lending,
    allocations: allocate(keys.map(({ weight }) => weight)),
  };
  const pool: Pool = await pools.create(spec, clock.now());
  // A store that fails would be a fault of ours: nothing may pass unjudged.
  const shared = { store, pools, plans, whenStoreFails: "deny" } as const;
  const engine = createQuotaEngine({ ...shared, clock });
  const requests = keys.map(({ id }) => ({ apiKeyId: id, connectionId: CONNECTION, provider: PROVIDER }));

  return {
    engine,
    requests,
    async foresee(key, at) {
      // An engine's clock never runs backwards, so who looks ahead is another one, on the same ledger.
      const ahead = createQuotaEngine({ ...shared, clock: { now: () => at } });
      const decision = await ahead.preview(requests[key]!);
      await ahead.close();
      return decision;
    },
    read: (utilization, resetsAt) =>
      engine.observe(CONNECTION, [
        {
          ...{ provider: PROVIDER, unit: "requests", window, utilization, resetsAt },
          ...{ limit, receivedAt: clock.now(), source: "simulated" },
        },
      ]),
    async weigh(weights) {
      await pools.update(pool.id, { allocations: allocate(weights) });
    },
    async close() {
      await engine.close();
      await store.close();
    },
  };
}

function dimensionsOf(
  window: WindowName,
  limit: number,
): Parameters<ReturnType<typeof createMemoryPlanOverrides>["set"]>[1] {
  const parsed = parseDimensions([{ unit: "requests", window, limit, anchor: "epoch" }]);
  if (parsed.ok) return parsed.value;
  throw new RangeError(parsed.faults.map(({ message }) => message).join(" "));
}
