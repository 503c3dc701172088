import type { PoolDirectory, QuotaEngine } from "@quota/engine";
import { ownUsageJson, type OwnUsageJson } from "@quota/http";
import type { Connections } from "./connections.js";

/** The caller's shares, in every pool where its key has an allocation. */
export async function ownUsage(
  apiKeyId: string,
  {
    engine,
    pools,
    connections,
  }: {
    readonly engine: Pick<QuotaEngine, "peek">;
    readonly pools: Pick<PoolDirectory, "ofConnection">;
    readonly connections: Connections;
  },
): Promise<readonly OwnUsageJson[]> {
  const seen: OwnUsageJson[] = [];
  for (const { id: connectionId, provider } of connections.list()) {
    const pool = await pools.ofConnection(connectionId);
    if (pool?.allocations.has(apiKeyId) !== true) continue;
    seen.push(ownUsageJson({ pool, decision: await engine.peek({ apiKeyId, connectionId, provider }) }));
  }
  return seen;
}
