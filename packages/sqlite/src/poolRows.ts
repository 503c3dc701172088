import type { Pool } from "@quota/core";
import {
  allocationRow,
  poolRow,
  storedPool,
  type AllocationRow,
  type OnDamage,
  type PoolRow,
} from "@quota/engine";
import type { Database } from "better-sqlite3";

/** Reads and writes `quota_pools` and `quota_allocations`. */
export interface PoolRows {
  index(): readonly (readonly [id: string, revision: number])[];
  load(id: string): Pool | undefined;
  insert(pool: Pool, revision: number): void;
  /** Allocations are written again only if they are to change. */
  update(pool: Pool, as: { readonly revision: number; readonly allocations: boolean }): void;
  delete(id: string): void;
}

export function poolRows(connection: Database, onDamage: OnDamage): PoolRows {
  const index = connection.prepare<[], [string, number]>("SELECT id, revision FROM quota_pools").raw();
  const pool = connection.prepare<[string], PoolRow>("SELECT * FROM quota_pools WHERE id = ?");
  const allocations = connection.prepare<[string], AllocationRow>(
    "SELECT * FROM quota_allocations WHERE pool_id = ? ORDER BY position",
  );
  const insertPool = connection.prepare<[PoolRow]>(
    `INSERT INTO quota_pools (id, connection_id, name, unallocated, saturation_threshold, when_store_fails, lending, shadow, incarnation, version, created_at, revision)
     VALUES (@id, @connection_id, @name, @unallocated, @saturation_threshold, @when_store_fails, @lending, @shadow, @incarnation, @version, @created_at, @revision)`,
  );
  const updatePool = connection.prepare<[PoolRow]>(
    `UPDATE quota_pools SET name = @name, unallocated = @unallocated, saturation_threshold = @saturation_threshold,
       when_store_fails = @when_store_fails, lending = @lending, shadow = @shadow, version = @version, revision = @revision WHERE id = @id`,
  );
  const deletePool = connection.prepare("DELETE FROM quota_pools WHERE id = ?");
  const deleteAllocations = connection.prepare("DELETE FROM quota_allocations WHERE pool_id = ?");
  const insertAllocation = connection.prepare(
    `INSERT INTO quota_allocations (pool_id, position, api_key_id, weight, policy, cap_unit, cap_window, cap_grains, lending_limit, borrowing_limit)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  return {
    index: () => index.all(),

    load(id) {
      const row = pool.get(id);
      return row && storedPool(row, allocations.all(id), onDamage);
    },

    insert(made, revision) {
      insertPool.run(poolRow(made, revision));
      insertAllocations(made);
    },

    update(changed, as) {
      updatePool.run(poolRow(changed, as.revision));
      if (!as.allocations) return;
      deleteAllocations.run(changed.id);
      insertAllocations(changed);
    },

    delete: (id) => void deletePool.run(id),
  };

  function insertAllocations({ id, allocations: all }: Pool): void {
    let position = 0;
    for (const allocation of all.values()) {
      const row = allocationRow(allocation);
      insertAllocation.run(
        id,
        position,
        row.api_key_id,
        row.weight,
        row.policy,
        row.cap_unit,
        row.cap_window,
        row.cap_grains,
        row.lending_limit,
        row.borrowing_limit,
      );
      position += 1;
    }
  }
}
