import { parseDimensions, type DimensionSpec, type LendingSpec } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  type QuotaEngine,
  type QuotaEngineOptions,
  type QuotaRequest,
  type UsageStore,
} from "@quota/engine";

/** Two dimensions that no bench can use up. */
export const TWO_DIMENSIONS: readonly DimensionSpec[] = [
  { unit: "requests", window: "hourly", limit: 2_000_000_000 },
  { unit: "tokens", window: "5h", limit: 2_000_000_000_000 },
];

/** An engine over one pool whose keys share a connection in equal parts, all of them hard. */
export interface Team {
  readonly engine: QuotaEngine;
  /** One request by each key, in order; about 1200 tokens. */
  readonly requests: readonly QuotaRequest[];
}

/** Makes a team over a store; pool and plan are kept in memory. */
export async function createTeam({
  store,
  keys,
  dimensions = TWO_DIMENSIONS,
  clock = { now: Date.now },
  lending = "threshold",
}: {
  readonly store: UsageStore;
  readonly keys: number;
  readonly dimensions?: readonly DimensionSpec[];
  readonly clock?: { now(): number };
  readonly lending?: LendingSpec;
}): Promise<Team> {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const ids = Array.from({ length: keys }, (_, i) => keyId(i));
  await pools.create(
    {
      connectionId: CONNECTION,
      name: "Team",
      lending,
      allocations: ids.map((apiKeyId) => ({ apiKeyId, weight: 100 / keys, policy: "hard" })),
    },
    Date.now(),
  );
  await plans.set(CONNECTION, parsed(dimensions));
  return { engine: createQuotaEngine({ store, pools, plans, clock }), requests: ids.map(requestBy) };
}

/** A pool that several processes make for themselves, and share: burst keys under a ceiling that is looked at. */
export async function sharedPool({
  keys,
  limit,
  incarnation = "shared",
}: {
  readonly keys: number;
  readonly limit: number;
  readonly incarnation?: string;
}): Promise<Pick<QuotaEngineOptions, "pools" | "plans">> {
  const made = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const allocations = Array.from({ length: keys }, (_, i) => ({
    apiKeyId: keyId(i),
    weight: 100 / keys,
    policy: "burst" as const,
  }));
  const pool = await made.create({ connectionId: CONNECTION, name: "Team", allocations }, 0);
  await plans.set(
    CONNECTION,
    parsed([
      { unit: "requests", window: "monthly", limit },
      { unit: "tokens", window: "monthly", limit: 1_000_000_000 },
    ]),
  );
  // One life of the pool, so one ledger.
  const shared = { ...pool, incarnation };
  return { pools: { get: async () => shared, ofConnection: async () => shared }, plans };
}

/** As long as a gateway's own ids are. */
export function keyId(index: number): string {
  return `key_01J9ZK4W6M${String(index).padStart(12, "0")}`;
}

/** A request by a key that costs what chat requests cost. */
export function requestBy(apiKeyId: string): QuotaRequest {
  return {
    apiKeyId,
    connectionId: CONNECTION,
    provider: "openai",
    estimate: { requests: 1, tokens: 1200 },
  };
}

/** The connection that the team shares. */
export const CONNECTION = "openai-team";

/** Dimensions as the engine takes them. */
export function parsed(specs: readonly DimensionSpec[]) {
  const result = parseDimensions(specs);
  if (!result.ok) throw new TypeError(result.faults.map(({ message }) => message).join(" "));
  return result.value;
}
