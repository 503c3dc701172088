import { parseDimensions, type DimensionSpec } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  type QuotaEngine,
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
}: {
  readonly store: UsageStore;
  readonly keys: number;
  readonly dimensions?: readonly DimensionSpec[];
}): Promise<Team> {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const ids = Array.from({ length: keys }, (_, i) => keyId(i));
  await pools.create(
    {
      connectionId: CONNECTION,
      name: "Team",
      allocations: ids.map((apiKeyId) => ({ apiKeyId, weight: 100 / keys, policy: "hard" })),
    },
    Date.now(),
  );
  await plans.set(CONNECTION, parsed(dimensions));
  return { engine: createQuotaEngine({ store, pools, plans }), requests: ids.map(requestBy) };
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
