import {
  idFault,
  lendingSpec,
  parseLending,
  policyOf,
  UNITS,
  WINDOWS,
  whenStoreFailsOf,
  type Allocation,
  type Cap,
  type Lending,
  type Pool,
  type Unit,
  type WindowName,
} from "@quota/core";
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

/** What a damaged row says in place of what it should; `where` names the pool, and the key if it is about one. */
export type OnDamage = (
  where: { readonly poolId: string; readonly apiKeyId?: string },
  problem: string,
) => void;

/**
 * A row that somebody has damaged by hand must not take the others down, nor grant what nobody granted: whatever
 * cannot be understood is read as the sternest thing it could have meant, and reported.
 */
export function poolRows(connection: Database, onDamage: OnDamage): PoolRows {
  const index = connection.prepare<[], [string, number]>("SELECT id, revision FROM quota_pools").raw();
  const pool = connection.prepare<[string], PoolRow>("SELECT * FROM quota_pools WHERE id = ?");
  const allocations = connection.prepare<[string], AllocationRow>(
    "SELECT * FROM quota_allocations WHERE pool_id = ? ORDER BY position",
  );
  const insertPool = connection.prepare<[Omit<PoolRow, "position">]>(
    `INSERT INTO quota_pools (id, connection_id, name, unallocated, saturation_threshold, when_store_fails, lending, shadow, incarnation, version, created_at, revision)
     VALUES (@id, @connection_id, @name, @unallocated, @saturation_threshold, @when_store_fails, @lending, @shadow, @incarnation, @version, @created_at, @revision)`,
  );
  const updatePool = connection.prepare<[Omit<PoolRow, "position">]>(
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
      return row && readPool(row, allocations.all(id), onDamage);
    },

    insert(made, revision) {
      insertPool.run(rowOf(made, revision));
      insertAllocations(made);
    },

    update(changed, as) {
      updatePool.run(rowOf(changed, as.revision));
      if (!as.allocations) return;
      deleteAllocations.run(changed.id);
      insertAllocations(changed);
    },

    delete: (id) => void deletePool.run(id),
  };

  function insertAllocations({ id, allocations: all }: Pool): void {
    let position = 0;
    for (const { apiKeyId, weight, policy, cap, lendingLimit, borrowingLimit } of all.values()) {
      insertAllocation.run(
        id,
        position,
        apiKeyId,
        weight,
        policy,
        cap?.unit ?? null,
        cap?.window ?? null,
        cap?.value ?? null,
        lendingLimit ?? null,
        borrowingLimit ?? null,
      );
      position += 1;
    }
  }
}

interface PoolRow {
  readonly position: number;
  readonly id: string;
  readonly connection_id: string;
  readonly name: string;
  readonly unallocated: string;
  readonly saturation_threshold: number | null;
  readonly when_store_fails: string | null;
  readonly lending: string;
  readonly shadow: string | null;
  readonly incarnation: string;
  readonly version: number;
  readonly created_at: number;
  readonly revision: number;
}

interface AllocationRow {
  readonly api_key_id: string;
  readonly weight: number;
  readonly policy: string;
  readonly cap_unit: string | null;
  readonly cap_window: string | null;
  readonly cap_grains: number | null;
  readonly lending_limit: number | null;
  readonly borrowing_limit: number | null;
}

function rowOf(pool: Pool, revision: number): Omit<PoolRow, "position"> {
  return {
    id: pool.id,
    connection_id: pool.connectionId,
    name: pool.name,
    unallocated: pool.unallocated,
    saturation_threshold: pool.saturationThreshold ?? null,
    when_store_fails: storedWord(pool.whenStoreFails) ?? null,
    lending: storedWord(lendingSpec(pool.lending)),
    shadow: storedWord(pool.shadow && lendingSpec(pool.shadow)) ?? null,
    incarnation: pool.incarnation,
    version: pool.version,
    created_at: pool.createdAt,
    revision,
  };
}

function readPool(row: PoolRow, allocationRows: readonly AllocationRow[], onDamage: OnDamage): Pool {
  const poolId = row.id;
  const report = (problem: string): void => onDamage({ poolId }, problem);
  const allocations = new Map<string, Allocation>();
  for (const allocationRow of allocationRows) {
    const apiKeyId = allocationRow.api_key_id;
    if (idFault(apiKeyId, "api_key_id")) {
      report("An allocation names no key that could exist; it is left out.");
      continue;
    }
    allocations.set(
      apiKeyId,
      readAllocation(allocationRow, (problem) => onDamage({ poolId, apiKeyId }, problem)),
    );
  }
  return Object.freeze({
    id: poolId,
    connectionId: row.connection_id,
    name: row.name,
    unallocated: readUnallocated(row.unallocated, report),
    saturationThreshold: readThreshold(row.saturation_threshold, report),
    whenStoreFails: readWhenStoreFails(row.when_store_fails, report),
    lending: readLending(row.lending, report),
    shadow: readShadow(row.shadow, report),
    allocations,
    incarnation: row.incarnation,
    version: row.version,
    createdAt: row.created_at,
  });
}

function readUnallocated(word: string, report: (problem: string) => void): Pool["unallocated"] {
  if (word === "borrow" || word === "deny" || word === "allow") return word;
  report(`unallocated is ${JSON.stringify(word)}; keys without an allocation are denied.`);
  return "deny";
}

function readThreshold(value: number | null, report: (problem: string) => void): number | undefined {
  if (value === null) return undefined;
  if (value >= 0 && value <= 1) return value;
  report(`saturation_threshold is ${String(value)}; shares bind from the first request.`);
  return 0;
}

/** A word stands as it is, and what has numbers in it as JSON. */
function storedWord<Word extends string | object | undefined>(word: Word): string | Exclude<Word, object> {
  return typeof word === "object" ? JSON.stringify(word) : (word as Exclude<Word, object>);
}

function wordIn(text: string): unknown {
  return text.startsWith("{") ? jsonIn(text) : text;
}

function readWhenStoreFails(text: string | null, report: (problem: string) => void): Pool["whenStoreFails"] {
  if (text === null) return undefined;
  const policy = whenStoreFailsOf(wordIn(text));
  if (policy !== undefined) return policy;
  report(`when_store_fails is ${JSON.stringify(text)}; requests are denied while the store is away.`);
  return "deny";
}

function readLending(text: string, report: (problem: string) => void): Lending {
  const parsed = parseLending(wordIn(text), "lending");
  if (parsed.ok) return parsed.value;
  report(`lending is ${JSON.stringify(text)}; nothing is lent.`);
  return { rule: "static" };
}

function readShadow(text: string | null, report: (problem: string) => void): Lending | undefined {
  if (text === null) return undefined;
  const parsed = parseLending(wordIn(text), "shadow");
  if (parsed.ok) return parsed.value;
  report(`shadow is ${JSON.stringify(text)}; nothing is compared.`);
  return undefined;
}

/** Text that is no JSON is no policy either. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readAllocation(row: AllocationRow, report: (problem: string) => void): Allocation {
  const policy = policyOf(row.policy);
  if (policy !== row.policy) report(`policy is ${JSON.stringify(row.policy)}; it counts as hard.`);
  const inRange = row.weight >= 0 && row.weight <= 100;
  if (!inRange) report(`weight is ${String(row.weight)}; it counts as 0.`);
  return Object.freeze({
    apiKeyId: row.api_key_id,
    weight: inRange ? row.weight : 0,
    policy,
    cap: readCap(row, report),
    lendingLimit: readPercent("lending_limit", row.lending_limit, report),
    borrowingLimit: readPercent("borrowing_limit", row.borrowing_limit, report),
  });
}

function readPercent(
  column: string,
  value: number | null,
  report: (problem: string) => void,
): number | undefined {
  if (value === null) return undefined;
  if (value >= 0 && value <= 100) return value;
  report(`${column} is ${String(value)}; it counts as 0.`);
  return 0;
}

function readCap(row: AllocationRow, report: (problem: string) => void): Cap | undefined {
  const { cap_unit: unit, cap_window: window, cap_grains: value } = row;
  if (unit === null && window === null && value === null) return undefined;
  const whole = UNITS.includes(unit as Unit) && isCapWindow(window) && Number.isSafeInteger(value);
  if (whole && value !== null && value > 0) return Object.freeze({ unit: unit as Unit, window, value });
  report(
    `the cap is ${JSON.stringify([value, unit, window])}; the key is stopped until it is mended, since nobody knows how much it may use.`,
  );
  // Holds whatever the plan counts: a dimension of requests is made for a cap if there is none.
  return Object.freeze({ unit: "requests", window: "hourly", value: 0 });
}

function isCapWindow(window: string | null): window is WindowName | "every" {
  return window === "every" || WINDOWS.includes(window as WindowName);
}
