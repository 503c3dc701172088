import { idFault, parsePoolTerms, type Pool, type PoolTerms } from "@quota/core";
import {
  InvalidInputError,
  PoolConflictError,
  type Logger,
  type PoolChange,
  type PoolDirectory,
} from "@quota/engine";
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

    async create({ id = crypto.randomUUID(), ...spec }, now) {
      const terms = parsePoolTerms(spec);
      const idFaults = [idFault(id, "id")].filter((fault) => fault !== undefined);
      if (!terms.ok) throw new InvalidInputError([...idFaults, ...terms.faults]);
      if (idFaults.length > 0) throw new InvalidInputError(idFaults);
      const incarnation = crypto.randomUUID();
      const pool = Object.freeze({ ...terms.value, id, incarnation, version: 1, createdAt: now });
      return await snapshot.write(({ byId, revision, wrote }) => {
        refuseTaken(pool, byId);
        rows.insert(pool, revision());
        wrote(id, pool);
        return pool;
      });
    },

    async update(id, change, { ifVersion } = {}) {
      return await snapshot.write(({ byId, revision, wrote }) => {
        const pool = byId.get(id);
        if (pool === undefined) return undefined;
        const terms = changedTerms(pool, change);
        if (ifVersion !== undefined && ifVersion !== pool.version) throw stale(pool, ifVersion);
        const changed = Object.freeze({ ...pool, ...terms, version: pool.version + 1 });
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

/** The table refuses both by itself as well; here it is known which pool stands in the way. */
function refuseTaken({ id, connectionId }: Pool, byId: ReadonlyMap<string, Pool>): void {
  for (const other of byId.values())
    if (other.connectionId === connectionId)
      throw new PoolConflictError(
        "connection-taken",
        other,
        `Connection ${connectionId} has pool ${other.id} already; change that one, or delete it first.`,
      );
  const taken = byId.get(id);
  if (taken)
    throw new PoolConflictError("id-taken", taken, `There is a pool ${id} already; leave the id out.`);
}

function stale(pool: Pool, ifVersion: number): PoolConflictError {
  return new PoolConflictError(
    "stale",
    pool,
    `The pool is at version ${String(pool.version)}, not ${String(ifVersion)}; read it again.`,
  );
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
