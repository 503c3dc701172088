import { fromGrains, governPool, resolvePlan, type WhenStoreFails } from "@quota/core";
import { worstCaseOvershoot, type PlanOverrides, type PoolDirectory } from "@quota/engine";

/** What a pool risks in one dimension while the store is away. */
export interface OutageRisk {
  readonly poolId: string;
  readonly whenStoreFails: WhenStoreFails;
  readonly dimension: string;
  /** How far all gateways together may be taken past the limit, in units, by what they let pass as estimated. */
  readonly worstCaseOvershoot: number | "unlimited" | "unknown";
}

/** Every pool's risk, dimension by dimension. @throws {StoreError} when the pools cannot be read. */
export async function outageRisks({
  pools,
  plans,
  providerOf,
  whenStoreFails,
  replicas,
}: {
  readonly pools: Pick<PoolDirectory, "list">;
  readonly plans: Pick<PlanOverrides, "list">;
  readonly providerOf: (connectionId: string) => string | undefined;
  /** For pools that do not say. */
  readonly whenStoreFails: WhenStoreFails;
  readonly replicas: number;
}): Promise<readonly OutageRisk[]> {
  const overrides = await plans.list();
  return (await pools.list()).flatMap((pool) => {
    const { connectionId } = pool;
    const provider = providerOf(connectionId) ?? "unknown";
    const plan = resolvePlan({ connectionId, provider, override: overrides.get(connectionId) });
    const policy = pool.whenStoreFails ?? whenStoreFails;
    return governPool({ pool, plan }).dimensions.map(({ name, unit, limit }): OutageRisk => {
      const grains = worstCaseOvershoot({ limit }, { whenStoreFails: policy, replicas });
      return {
        poolId: pool.id,
        whenStoreFails: policy,
        dimension: name,
        worstCaseOvershoot: typeof grains === "number" ? fromGrains(unit, grains) : grains,
      };
    });
  });
}
