import { fromGrains, type DimensionDecision, type Pool } from "@quota/core";
import type { PoolDirectory, QuotaEngine } from "@quota/engine";
import type { Connections } from "./connections.js";

/** One pool as the caller's key sees it: its own numbers, and nothing of what others use. Amounts in units. */
export interface OwnUsage {
  readonly connectionId: string;
  readonly pool: string;
  readonly dimensions: readonly OwnDimension[];
}

export interface OwnDimension {
  readonly unit: string;
  readonly window: string;
  /** Undefined where the limit is unknown: there are no shares then. */
  readonly share: number | undefined;
  readonly cap: number | undefined;
  /** Settled and held. */
  readonly used: number;
  readonly held: number;
  readonly remaining: number | undefined;
  readonly available: number | "unlimited";
}

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
): Promise<readonly OwnUsage[]> {
  const seen: OwnUsage[] = [];
  for (const { id: connectionId, provider } of connections.list()) {
    const pool: Pool | undefined = await pools.ofConnection(connectionId);
    if (pool?.allocations.has(apiKeyId) !== true) continue;
    const { dimensions } = await engine.peek({ apiKeyId, connectionId, provider });
    seen.push({ connectionId, pool: pool.name, dimensions: dimensions.map(inUnits) });
  }
  return seen;
}

function inUnits({
  unit,
  window,
  share,
  cap,
  used,
  held,
  remaining,
  available,
}: DimensionDecision): OwnDimension {
  const units = (amount: number): number => fromGrains(unit, amount);
  return {
    unit,
    window,
    share: share === undefined ? undefined : units(share),
    cap: cap === undefined ? undefined : units(cap),
    used: units(used),
    held: units(held),
    remaining: remaining === undefined ? undefined : units(remaining),
    available: available === "unlimited" ? available : units(available),
  };
}
