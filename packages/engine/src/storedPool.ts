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

/** What a damaged row says in place of what it should; `where` names the pool, and the key if it is about one. */
export type OnDamage = (
  where: { readonly poolId: string; readonly apiKeyId?: string },
  problem: string,
) => void;

/** A pool as a row of `quota_pools`. */
export interface PoolRow {
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

/** An allocation as a row of `quota_allocations`. */
export interface AllocationRow {
  readonly api_key_id: string;
  readonly weight: number;
  readonly policy: string;
  readonly cap_unit: string | null;
  readonly cap_window: string | null;
  readonly cap_grains: number | null;
  readonly lending_limit: number | null;
  readonly borrowing_limit: number | null;
}

/** A pool as its row, without its allocations. */
export function poolRow(pool: Pool, revision: number): PoolRow {
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

/**
 * The pool that rows hold. A row that somebody has damaged by hand must not take the others down, nor grant what nobody granted: whatever
 * cannot be understood is read as the sternest thing it could have meant, and reported.
 */
export function storedPool(row: PoolRow, allocationRows: readonly AllocationRow[], onDamage: OnDamage): Pool {
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

/** An allocation as its row. */
export function allocationRow({
  apiKeyId,
  weight,
  policy,
  cap,
  lendingLimit,
  borrowingLimit,
}: Allocation): AllocationRow {
  return {
    api_key_id: apiKeyId,
    weight,
    policy,
    cap_unit: cap?.unit ?? null,
    cap_window: cap?.window ?? null,
    cap_grains: cap?.value ?? null,
    lending_limit: lendingLimit ?? null,
    borrowing_limit: borrowingLimit ?? null,
  };
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
