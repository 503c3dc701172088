import { parseDimensions, type DimensionUsage } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  type QuotaEngine,
  type UsageStore,
} from "@quota/engine";
import { NOW } from "./counting.js";

export const HOUR = 3_600_000;
const FIVE_HOURS = 5 * HOUR;

/** A pool of one key on an account that tells a percentage, to be counted in one store or another. */
export async function sharedSeat() {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const time = { now: NOW };
  const allocations = [{ apiKeyId: "alice", weight: 100 }];
  const pool = await pools.create({ connectionId: "seat", name: "Seat", allocations }, NOW);
  const parsed = parseDimensions([
    { unit: "percent", window: "5h", limit: 100 },
    { unit: "requests", window: "daily", limit: 100, anchor: "first-use" },
  ]);
  if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join(" "));
  await plans.set("seat", parsed.value);
  const dimension = async (engine: QuotaEngine, i: number): Promise<DimensionUsage> =>
    (await engine.usage(pool.id))!.dimensions[i]!;
  return {
    time,
    engineOn: (store: UsageStore) =>
      createQuotaEngine({ store, pools, plans, clock: { now: () => time.now } }),
    /** The provider says how full the five hours are. */
    say: (engine: QuotaEngine, { percent }: { readonly percent: number }) =>
      engine.observe("seat", [
        {
          ...({ provider: "codex", unit: "percent", window: "5h", source: "test" } as const),
          ...{ utilization: percent / 100, receivedAt: time.now, resetsAt: time.now + FIVE_HOURS },
        },
      ]),
    async use(engine: QuotaEngine, tokens: number): Promise<void> {
      const { lease } = await engine.admit({ apiKeyId: "alice", connectionId: "seat", provider: "codex" });
      await engine.settle(lease!, { tokens });
    },
    fullness: (engine: QuotaEngine) => dimension(engine, 0),
    requests: (engine: QuotaEngine) => dimension(engine, 1),
  };
}
