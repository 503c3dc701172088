import { dimensionSpec, type Dimension, type Pool } from "@quota/core";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { poolRows } from "./poolRows.js";

/**
 * Puts these pools, with their ids and incarnations, and these plans, by connection, in the place of all that there are. For an import: it is
 * part of the caller's transaction (`db.write`), so that it stands or falls with what else that writes. Directories on other
 * connections see it as they see any neighbour's change. A pool that keeps its incarnation keeps what was counted.
 *
 * @throws the driver's error, such as for two pools of one connection.
 */
export function replacePoolsAndPlans(
  { connection }: QuotaDatabase,
  {
    pools,
    plans,
  }: { readonly pools: readonly Pool[]; readonly plans: ReadonlyMap<string, readonly Dimension[]> },
): void {
  const revise = connection
    .prepare<[string], number>(
      `INSERT INTO quota_revisions (topic, revision) VALUES (?, 1)
       ON CONFLICT (topic) DO UPDATE SET revision = revision + 1 RETURNING revision`,
    )
    .pluck();
  const rows = poolRows(connection, () => undefined);
  const poolRevision = revise.get("pools") ?? 0;
  for (const [id] of rows.index()) rows.delete(id);
  for (const pool of pools) rows.insert(pool, poolRevision);

  const planRevision = revise.get("plans") ?? 0;
  connection.exec("DELETE FROM provider_plans");
  const insertPlan = connection.prepare(
    "INSERT INTO provider_plans (connection_id, dimensions, revision) VALUES (?, ?, ?)",
  );
  for (const [connectionId, dimensions] of plans)
    insertPlan.run(connectionId, JSON.stringify(dimensions.map(dimensionSpec)), planRevision);
}
