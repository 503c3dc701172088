import type { Pool } from "@quota/core";
import { changedPool, newPool, refuseTaken, type Logger, type PoolDirectory } from "@quota/engine";
import type { PostgresDatabase } from "./openPostgres.js";
import { deletePool, insertPool, loadPools, updatePool } from "./poolRows.js";
import { snapshotOf } from "./snapshotOf.js";

export interface PostgresPoolDirectoryOptions {
  /** Hears of damaged rows and of reads that failed, under the scope `quota:pools`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps pools in `quota_pools` and `quota_allocations`, and all of them at hand: `ofConnection` never waits for the database.
 * What this process writes is seen at once; what another writes, soon after (`watchEveryMs` of the database at the latest), and at once by
 * `get`, `list` and every write.
 *
 * @throws {StoreError} when the tables cannot be read.
 * @example
 * const pools = await createPostgresPoolDirectory(db, { logger });
 */
export async function createPostgresPoolDirectory(
  db: PostgresDatabase,
  { logger }: PostgresPoolDirectoryOptions = {},
): Promise<PoolDirectory> {
  let byConnection: ReadonlyMap<string, Pool> = new Map();
  const snapshot = await snapshotOf<Pool>(db, {
    topic: "pools",
    load: (rows, since) =>
      loadPools(rows, {
        since,
        onDamage: (where, problem) =>
          logger?.warn(
            { scope: "quota:pools", ...where, problem },
            "A stored pool is damaged; save it again to mend it.",
          ),
      }),
    onChange: (pools) => (byConnection = new Map(pools.map((pool) => [pool.connectionId, pool]))),
    onFailure: (err) =>
      logger?.warn(
        { scope: "quota:pools", err },
        "The pools could not be read again; the last ones seen are used.",
      ),
  });

  return {
    async ofConnection(connectionId) {
      return byConnection.get(connectionId);
    },

    async get(id) {
      return (await snapshot.latest()).get(id);
    },

    async list() {
      return [...(await snapshot.latest()).values()].sort((a, b) => a.createdAt - b.createdAt);
    },

    async create(spec, now) {
      const pool = newPool(spec, now);
      return await snapshot.write(async ({ byId, transaction, revision, wrote }) => {
        // The table refuses both by itself as well; here it is known which pool stands in the way.
        refuseTaken(pool, { ofConnection: withConnection(byId, pool.connectionId), ofId: byId.get(pool.id) });
        await insertPool(transaction, pool, revision);
        wrote(pool.id, pool);
        return pool;
      });
    },

    async update(id, change, options) {
      return await snapshot.write(async ({ byId, transaction, revision, wrote }) => {
        const pool = byId.get(id);
        if (pool === undefined) return undefined;
        const changed = changedPool(pool, change, options);
        await updatePool(transaction, changed, { revision, allocations: change.allocations !== undefined });
        wrote(id, changed);
        return changed;
      });
    },

    async delete(id) {
      return await snapshot.write(async ({ byId, transaction, wrote }) => {
        if (!byId.has(id)) return false;
        await deletePool(transaction, id);
        wrote(id, undefined);
        return true;
      });
    },
  };
}

function withConnection(byId: ReadonlyMap<string, Pool>, connectionId: string): Pool | undefined {
  for (const pool of byId.values()) if (pool.connectionId === connectionId) return pool;
  return undefined;
}
