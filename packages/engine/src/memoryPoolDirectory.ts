import type { Pool } from "@quota/core";
import { changedPool } from "./changedPool.js";
import { newPool, refuseTaken } from "./newPool.js";
import type { PoolDirectory } from "./poolDirectory.js";

/**
 * Keeps pools in this process; they end with it.
 *
 * @example
 * const pools = createMemoryPoolDirectory();
 * await pools.create({ connectionId: "kimi-demo", name: "Team", allocations: [] }, Date.now());
 */
export function createMemoryPoolDirectory(): PoolDirectory {
  const byId = new Map<string, Pool>();
  const byConnection = new Map<string, Pool>();

  return {
    ofConnection(connectionId) {
      return byConnection.get(connectionId);
    },

    async get(id) {
      return byId.get(id);
    },

    async list() {
      return [...byId.values()].sort((a, b) => a.createdAt - b.createdAt);
    },

    async create(spec, now) {
      const pool = newPool(spec, now);
      refuseTaken(pool, { ofConnection: byConnection.get(pool.connectionId), ofId: byId.get(pool.id) });
      return keep(pool);
    },

    async update(id, change, options) {
      const pool = byId.get(id);
      return pool === undefined ? undefined : keep(changedPool(pool, change, options));
    },

    async delete(id) {
      const pool = byId.get(id);
      if (pool === undefined) return false;
      byConnection.delete(pool.connectionId);
      return byId.delete(id);
    },
  };

  function keep(pool: Pool): Pool {
    byId.set(pool.id, pool);
    byConnection.set(pool.connectionId, pool);
    return pool;
  }
}
