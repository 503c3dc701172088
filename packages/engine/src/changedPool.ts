import { allocationSpec, lendingSpec, parsePoolTerms, type Pool, type PoolTerms } from "@quota/core";
import { InvalidInputError } from "./invalidInputError.js";
import { PoolConflictError } from "./poolConflictError.js";
import type { PoolChange } from "./poolDirectory.js";

/**
 * A pool after a change, as every directory makes it: parsed, frozen, its version raised by one. It stays the same incarnation, on the
 * same connection.
 *
 * @throws {InvalidInputError} naming every fault.
 * @throws {PoolConflictError} code `stale` when `ifVersion` is given and is not the pool's version.
 */
export function changedPool(
  pool: Pool,
  change: PoolChange,
  { ifVersion }: { readonly ifVersion?: number | undefined } = {},
): Pool {
  const terms = changedTerms(pool, change);
  if (ifVersion !== undefined && ifVersion !== pool.version)
    throw new PoolConflictError(
      "stale",
      pool,
      `The pool is at version ${String(pool.version)}, not ${String(ifVersion)}; read it again.`,
    );
  return Object.freeze({ ...pool, ...terms, version: pool.version + 1 });
}

/** Parsed like a new pool, except for allocations that stay as they are. */
function changedTerms(pool: Pool, change: PoolChange): PoolTerms {
  const parsed = parsePoolTerms({
    connectionId: pool.connectionId,
    name: change.name ?? pool.name,
    unallocated: change.unallocated ?? pool.unallocated,
    saturationThreshold: changed(change.saturationThreshold, pool.saturationThreshold),
    whenStoreFails: changed(change.whenStoreFails, pool.whenStoreFails),
    lending: change.lending ?? lendingSpec(pool.lending),
    shadow: changed(change.shadow, pool.shadow && lendingSpec(pool.shadow)),
    // What stays as it is was parsed before; another rule may not be able to keep what it promises.
    allocations:
      change.allocations ??
      (change.lending === undefined ? [] : [...pool.allocations.values()].map(allocationSpec)),
  });
  if (!parsed.ok) throw new InvalidInputError(parsed.faults);
  return change.allocations ? parsed.value : { ...parsed.value, allocations: pool.allocations };
}

/** Left out: as it was. `null`: taken away. */
function changed<Value>(change: Value | null | undefined, was: Value | undefined): Value | undefined {
  return change === null ? undefined : (change ?? was);
}
