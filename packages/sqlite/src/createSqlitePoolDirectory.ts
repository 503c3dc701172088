import type { Pool } from "@quota/core";
import { changedPool, newPool, refuseTaken, type Logger, type PoolDirectory } from "@quota/engine";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { poolRows } from "./poolRows.js";
import { snapshotOf } from "./snapshotOf.js";

export interface SqlitePoolDirectoryOptions {
  /** Hears of damaged rows and of reads that failed, under the scope `quota:pools`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps pools in `quota_pools` and `quota_allocations`, and all of them at hand: `ofConnection` never waits for the file.
 * What this process writes is seen at once; what another writes, within `watchEveryMs` of the database (and at once by
 * `get`, `list` and every write).
 *
 * @throws {StoreError} when the tables cannot be read.
 * @example
 * const pools = createSqlitePoolDirectory(db, { logger });
 */
export function createSqlitePoolDirectory(
  db: QuotaDatabase,
  { logger }: SqlitePoolDirectoryOptions = {},
): PoolDirectory {
  const rows = poolRows(db.connection, (where, problem) =>
    logger?.warn(
      { scope: "quota:pools", ...where, problem },
      "A stored pool is damaged; save it again to mend it.",
    ),
  );
  let byConnection: ReadonlyMap<string, Pool> = new Map();
  const snapshot = snapshotOf<Pool>(db, {
    topic: "pools",
    index: () => rows.index(),
    load: (id) => rows.load(id),
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
      return await snapshot.write(({ byId, revision, wrote }) => {
        // The table refuses both by itself as well; here it is known which pool stands in the way.
        refuseTaken(pool, { ofConnection: withConnection(byId, pool.connectionId), ofId: byId.get(pool.id) });
        rows.insert(pool, revision());
        wrote(pool.id, pool);
        return pool;
      });
    },

    async update(id, change, options) {
      return await snapshot.write(({ byId, revision, wrote }) => {
        const pool = byId.get(id);
        if (pool === undefined) return undefined;
        const changed = changedPool(pool, change, options);
        rows.update(changed, { revision: revision(), allocations: change.allocations !== undefined });
        wrote(id, changed);
        return changed;
      });
    },

    async delete(id) {
      return await snapshot.write(({ byId, revision, wrote }) => {
        if (!byId.has(id)) return false;
        revision();
        rows.delete(id);
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
