import { parseDimensions, type DimensionSpec, type DimensionUsage, type ProviderReading } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  type Admission,
  type PlanOverrides,
  type QuotaEngine,
  type UsageStore,
} from "@quota/engine";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** A Monday, at the start of every window. */
export const MONDAY = Date.UTC(2026, 0, 5);
export const HOUR = 3_600_000;
export const FIVE_HOURS = 5 * HOUR;

export const KEYS = ["alice", "bob", "carol"] as const;

/** An account that tells a percentage. */
export const PERCENT: DimensionSpec = { unit: "percent", window: "5h", limit: 100 };
/** One whose requests are counted. */
export const REQUESTS: DimensionSpec = { unit: "requests", window: "daily", limit: 1000 };

/** One pool, and processes that serve it: engines of their own, over two handles on one store. */
export interface Office {
  /** Everybody's, but for those who are said to be ahead or behind. */
  readonly time: { now: number };
  /** A process that has just begun. */
  process(options?: {
    readonly handle?: 0 | 1;
    /** How far its clock is off. */
    readonly aheadMs?: number;
    /** Where its plan comes from, when it is not everybody's. */
    readonly plans?: PlanOverrides;
  }): QuotaEngine;
  setPlan(dimensions: readonly DimensionSpec[], plans?: PlanOverrides): Promise<void>;
  reading(percent: number, more?: Partial<ProviderReading>): ProviderReading;
  /** One dimension as a process sees it. */
  look(by: QuotaEngine, i?: number): Promise<DimensionUsage>;
}

/** Opens an office over a store under test, and ends its processes. */
export async function inOffice(
  subject: UsageStoreUnderTest,
  dimensions: readonly DimensionSpec[],
  work: (office: Office) => Promise<void>,
): Promise<void> {
  await withNeighbour(subject, async (neighbour) => {
    const { office, close } = await officeOver([subject.store, neighbour], dimensions);
    await work(office);
    await close();
  });
}

/** An office over two handles that are open. */
export async function officeOver(
  stores: readonly [UsageStore, UsageStore],
  dimensions: readonly DimensionSpec[],
): Promise<{ readonly office: Office; readonly close: () => Promise<void> }> {
  const pools = createMemoryPoolDirectory();
  const everybodys = createMemoryPlanOverrides();
  const time = { now: MONDAY + HOUR };
  const allocations = KEYS.map((apiKeyId) => ({ apiKeyId, weight: 33, policy: "burst" as const }));
  const pool = await pools.create({ connectionId: "seat", name: "Team", allocations }, MONDAY);
  const processes: QuotaEngine[] = [];
  const office: Office = {
    time,
    process({ handle = 0, aheadMs = 0, plans = everybodys } = {}) {
      const clock = { now: () => time.now + aheadMs };
      const engine = createQuotaEngine({ store: stores[handle], pools, plans, clock });
      processes.push(engine);
      return engine;
    },
    async setPlan(specs, plans = everybodys) {
      const parsed = parseDimensions(specs);
      if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join(" "));
      await plans.set("seat", parsed.value);
    },
    reading: (percent, more) => ({
      provider: "codex",
      unit: "percent",
      window: "5h",
      utilization: percent / 100,
      resetsAt: MONDAY + FIVE_HOURS,
      receivedAt: time.now,
      source: "conformance",
      ...more,
    }),
    look: async (by, i = 0) => (await by.usage(pool.id))!.dimensions[i]!,
  };
  await office.setPlan(dimensions);
  return {
    office,
    // One after the other: what was not written in the crowd is written now.
    async close() {
      for (const engine of processes) await engine.close();
    },
  };
}

/** Asks to be let in, again while neighbours are in the way. */
export async function enter(
  by: QuotaEngine,
  key: string,
  estimate: { readonly requests?: number; readonly tokens?: number } = {},
): Promise<Admission> {
  for (let attempt = 1; ; attempt += 1) {
    const admission = await by.admit({ apiKeyId: key, connectionId: "seat", provider: "codex", estimate });
    const { decision } = admission;
    if (decision.status !== "refused" || decision.reason !== "contended" || attempt === 50) return admission;
  }
}

/** One request, from the door to its settlement; whether it was let in. */
export async function serve(by: QuotaEngine, key: string, tokens = 0): Promise<boolean> {
  const { decision, lease } = await enter(by, key, { tokens });
  if (decision.status === "unjudged") throw new Error("The store failed.", { cause: decision.cause });
  if (lease === undefined) return false;
  await by.settle(lease, { tokens });
  return true;
}

/** Every key's part of a percentage, in whole percent. */
export function partsOf({ perKey }: DimensionUsage): Readonly<Record<string, number>> {
  return Object.fromEntries(perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed / 1e6]));
}
