import type { EpochMs, PoolUsage } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  type QuotaEngine,
} from "@quota/engine";

/** The one connection of a replay. */
export const SEAT = { connectionId: "seat", provider: "codex" } as const;

/** An engine in memory over one pool of a Codex seat, with equal shares. */
export async function engineOnSeat({
  keys,
  policy,
  now,
}: {
  readonly keys: readonly string[];
  readonly policy: "burst" | "hard";
  readonly now: () => EpochMs;
}): Promise<{ readonly engine: QuotaEngine; readonly usage: () => Promise<PoolUsage> }> {
  const pools = createMemoryPoolDirectory();
  // Weights of 0 are equal shares.
  const allocations = keys.map((apiKeyId) => ({ apiKeyId, weight: 0, policy }));
  const pool = await pools.create({ connectionId: SEAT.connectionId, name: "Replay", allocations }, now());
  const engine = createQuotaEngine({
    store: createMemoryUsageStore(),
    pools,
    plans: createMemoryPlanOverrides(),
    clock: { now },
    providerOf: () => SEAT.provider,
    whenStoreFails: "deny",
  });
  return { engine, usage: async () => (await engine.usage(pool.id))! };
}
