import { allocationSpec, lendingSpec, type LendingSpec, type Pool, type WhenStoreFails } from "@quota/core";

/** A pool as the REST API shows it: an allocation is what one would write to get it. Undefined members are left out. */
export interface PoolJson extends Pick<
  Pool,
  "id" | "connectionId" | "name" | "unallocated" | "version" | "createdAt"
> {
  readonly saturationThreshold?: number;
  readonly whenStoreFails?: WhenStoreFails;
  /** A word, or an object where a reserve has a curve of its own. */
  readonly lending: LendingSpec;
  readonly shadow?: LendingSpec;
  readonly allocations: readonly AllocationJson[];
}

/** An allocation with its policy said. */
export type AllocationJson = ReturnType<typeof allocationSpec>;

/** A pool for the REST API. Caps are in units. */
export function poolJson(pool: Pool): PoolJson {
  const { id, connectionId, name, unallocated, saturationThreshold, whenStoreFails, shadow } = pool;
  return {
    id,
    connectionId,
    name,
    unallocated,
    ...(saturationThreshold !== undefined && { saturationThreshold }),
    ...(whenStoreFails !== undefined && { whenStoreFails }),
    lending: lendingSpec(pool.lending),
    ...(shadow !== undefined && { shadow: lendingSpec(shadow) }),
    version: pool.version,
    createdAt: pool.createdAt,
    allocations: [...pool.allocations.values()].map(allocationSpec),
  };
}
