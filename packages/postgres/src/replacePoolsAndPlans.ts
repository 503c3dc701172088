import { dimensionSpec, type Dimension, type Pool } from "@quota/core";
import { insertPool } from "./poolRows.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText } from "./storedText.js";

/**
 * Puts these pools, with their ids and incarnations, and these plans, by connection, in the place of all that there are. For an import: it is
 * part of the caller's transaction, so that it stands or falls with what else that writes. Directories, in whatever process,
 * see it as they see any neighbour's change. A pool that keeps its incarnation keeps what was counted.
 *
 * @throws {StoreError} such as for two pools of one connection.
 */
export async function replacePoolsAndPlans(
  transaction: PostgresTransaction,
  {
    pools,
    plans,
  }: { readonly pools: readonly Pool[]; readonly plans: ReadonlyMap<string, readonly Dimension[]> },
): Promise<void> {
  const poolRevision = await transaction.changed("pools");
  await transaction.run("DELETE FROM quota_pools");
  for (const pool of pools) await insertPool(transaction, pool, poolRevision);

  const planRevision = await transaction.changed("plans");
  await transaction.run("DELETE FROM provider_plans");
  for (const [connectionId, dimensions] of plans)
    await transaction.run(
      "INSERT INTO provider_plans (connection_id, dimensions, revision) VALUES ($1, $2, $3)",
      [storedText(connectionId), JSON.stringify(dimensions.map(dimensionSpec)), planRevision],
    );
}
