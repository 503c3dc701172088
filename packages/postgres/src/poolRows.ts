import type { Pool } from "@quota/core";
import {
  allocationRow,
  poolRow,
  storedPool,
  type AllocationRow,
  type OnDamage,
  type PoolRow,
} from "@quota/engine";
import type { PostgresTransaction } from "./postgresTransaction.js";
import type { LoadedRow } from "./snapshotOf.js";
import { storedText, textStored } from "./storedText.js";

/** Every pool's id and revision, and the pools that are newer than `since`, each with its allocations as they were at that moment. */
export async function loadPools(
  rows: PostgresTransaction["rows"],
  { since, onDamage }: { readonly since: number; readonly onDamage: OnDamage },
): Promise<readonly LoadedRow<Pool>[]> {
  const found = await rows<{
    id: string;
    revision: string;
    pool: PoolRow | null;
    allocations: readonly AllocationRow[] | null;
  }>(
    `SELECT id, revision, CASE WHEN revision > $1 THEN to_json(pool) END AS pool,
            CASE WHEN revision > $1 THEN (
              SELECT json_agg(allocation ORDER BY position) FROM quota_allocations AS allocation WHERE pool_id = pool.id
            ) END AS allocations
     FROM quota_pools AS pool`,
    [since],
  );
  return found.map(({ id, revision, pool, allocations }) => ({
    id: textStored(id),
    revision: Number(revision),
    value:
      pool === null ? undefined : storedPool(readable(pool), (allocations ?? []).map(readableKey), onDamage),
  }));
}

export async function insertPool(
  transaction: PostgresTransaction,
  pool: Pool,
  revision: number,
): Promise<void> {
  await transaction.run(
    `INSERT INTO quota_pools (id, connection_id, name, unallocated, saturation_threshold, when_store_fails, lending, shadow, incarnation, version, created_at, revision)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    valuesOf(pool, revision),
  );
  await insertAllocations(transaction, pool);
}

/** Allocations are written again only if they are to change. */
export async function updatePool(
  transaction: PostgresTransaction,
  pool: Pool,
  as: { readonly revision: number; readonly allocations: boolean },
): Promise<void> {
  await transaction.run(
    `UPDATE quota_pools SET connection_id = $2, name = $3, unallocated = $4, saturation_threshold = $5, when_store_fails = $6,
       lending = $7, shadow = $8, incarnation = $9, version = $10, created_at = $11, revision = $12 WHERE id = $1`,
    valuesOf(pool, as.revision),
  );
  if (!as.allocations) return;
  await transaction.run("DELETE FROM quota_allocations WHERE pool_id = $1", [storedText(pool.id)]);
  await insertAllocations(transaction, pool);
}

export async function deletePool(transaction: PostgresTransaction, id: string): Promise<void> {
  await transaction.run("DELETE FROM quota_pools WHERE id = $1", [storedText(id)]);
}

async function insertAllocations(transaction: PostgresTransaction, { id, allocations }: Pool): Promise<void> {
  const rows = [...allocations.values()].map(allocationRow);
  const column = <Name extends keyof AllocationRow>(name: Name): AllocationRow[Name][] =>
    rows.map((row) => row[name]);
  await transaction.run(
    `INSERT INTO quota_allocations (pool_id, position, api_key_id, weight, policy, cap_unit, cap_window, cap_grains, lending_limit, borrowing_limit)
     SELECT $1, position - 1, api_key_id, weight, policy, cap_unit, cap_window, cap_grains, lending_limit, borrowing_limit
     FROM unnest($2::text[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::float8[], $9::float8[])
       WITH ORDINALITY AS row (api_key_id, weight, policy, cap_unit, cap_window, cap_grains, lending_limit, borrowing_limit, position)`,
    [
      storedText(id),
      column("api_key_id").map(storedText),
      column("weight"),
      column("policy"),
      column("cap_unit"),
      column("cap_window"),
      column("cap_grains"),
      column("lending_limit"),
      column("borrowing_limit"),
    ],
  );
}

function valuesOf(pool: Pool, revision: number): readonly unknown[] {
  const row = poolRow(pool, revision);
  return [
    storedText(row.id),
    storedText(row.connection_id),
    storedText(row.name),
    row.unallocated,
    row.saturation_threshold,
    row.when_store_fails,
    row.lending,
    row.shadow,
    row.incarnation,
    row.version,
    row.created_at,
    row.revision,
  ];
}

function readable(row: PoolRow): PoolRow {
  return {
    ...row,
    id: textStored(row.id),
    connection_id: textStored(row.connection_id),
    name: textStored(row.name),
  };
}

function readableKey(row: AllocationRow): AllocationRow {
  return { ...row, api_key_id: textStored(row.api_key_id) };
}
