import { idFault, parsePoolTerms, type Pool, type PoolTerms } from "@quota/core";
import { InvalidInputError } from "./invalidInputError.js";
import { PoolConflictError } from "./poolConflictError.js";
import type { PoolChange, PoolDirectory } from "./poolDirectory.js";

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
    async ofConnection(connectionId) {
      return byConnection.get(connectionId);
    },

    async get(id) {
      return byId.get(id);
    },

    async list() {
      return [...byId.values()].sort((a, b) => a.createdAt - b.createdAt);
    },

    async create({ id = crypto.randomUUID(), ...spec }, now) {
      const terms = parsePoolTerms(spec);
      const idFaults = [idFault(id, "id")].filter((fault) => fault !== undefined);
      if (!terms.ok) throw new InvalidInputError([...idFaults, ...terms.faults]);
      if (idFaults.length > 0) throw new InvalidInputError(idFaults);
      refuseTaken(id, terms.value.connectionId);
      return keep({ ...terms.value, id, incarnation: crypto.randomUUID(), version: 1, createdAt: now });
    },

    async update(id, change, { ifVersion } = {}) {
      const pool = byId.get(id);
      if (pool === undefined) return undefined;
      const terms = changedTerms(pool, change);
      if (ifVersion !== undefined && ifVersion !== pool.version)
        throw new PoolConflictError(
          "stale",
          pool,
          `The pool is at version ${String(pool.version)}, not ${String(ifVersion)}; read it again.`,
        );
      return keep({ ...pool, ...terms, version: pool.version + 1 });
    },

    async delete(id) {
      const pool = byId.get(id);
      if (pool === undefined) return false;
      byConnection.delete(pool.connectionId);
      return byId.delete(id);
    },
  };

  function keep(pool: Pool): Pool {
    const kept = Object.freeze(pool);
    byId.set(kept.id, kept);
    byConnection.set(kept.connectionId, kept);
    return kept;
  }

  function refuseTaken(id: string, connectionId: string): void {
    const ofConnection = byConnection.get(connectionId);
    if (ofConnection)
      throw new PoolConflictError(
        "connection-taken",
        ofConnection,
        `Connection ${connectionId} has pool ${ofConnection.id} already; change that one, or delete it first.`,
      );
    const ofId = byId.get(id);
    if (ofId)
      throw new PoolConflictError("id-taken", ofId, `There is a pool ${id} already; leave the id out.`);
  }
}

/** What the pool says once the change is made: parsed like a new pool, except for allocations that stay as they are. */
function changedTerms(pool: Pool, change: PoolChange): PoolTerms {
  const parsed = parsePoolTerms({
    connectionId: pool.connectionId,
    name: change.name ?? pool.name,
    unallocated: change.unallocated ?? pool.unallocated,
    saturationThreshold: changed(change.saturationThreshold, pool.saturationThreshold),
    whenStoreFails: changed(change.whenStoreFails, pool.whenStoreFails),
    allocations: change.allocations ?? [],
  });
  if (!parsed.ok) throw new InvalidInputError(parsed.faults);
  return change.allocations ? parsed.value : { ...parsed.value, allocations: pool.allocations };
}

/** Left out: as it was. `null`: taken away. */
function changed<Value>(change: Value | null | undefined, was: Value | undefined): Value | undefined {
  return change === null ? undefined : (change ?? was);
}
