import { freeOrdinal } from "../freeOrdinal.js";
import type { UpstreamAuth } from "../upstreamAuth.js";
import { byAge } from "./byAge.js";
import { derivedRows } from "./derivedRows.js";
import type { GatewayRows, PoolsAndPlans, Table, WritableRows, WritableTable } from "./gatewayTables.js";
import type { RowChanges } from "./rowChanges.js";

/** Changes that are written down beside the rows, and seen by whoever makes them alone. */
export interface StagedChanges {
  readonly rows: WritableRows;
  /** Undefined: none were made. */
  made(): StagedRowChanges | undefined;
}

export interface StagedRowChanges extends RowChanges {
  readonly poolsAndPlans: PoolsAndPlans | undefined;
}

export function stageChanges(base: GatewayRows): StagedChanges {
  const organisations = stagedTable(base.organisations);
  const teams = stagedTable(base.teams);
  const keys = stagedTable(base.keys);
  const connections = stagedTable(base.connections);
  const auths = new Map<string, UpstreamAuth | undefined>();
  let ratePlanRevision = base.ratePlanRevision();
  let poolsAndPlans: PoolsAndPlans | undefined;

  return {
    rows: {
      organisations: organisations.table,
      teams: teams.table,
      keys: keys.table,
      connections: {
        ...connections.table,
        delete(id) {
          auths.set(id, undefined);
          return connections.table.delete(id);
        },
      },
      keyOfSecret(hash) {
        const secretHash = hash.toString("hex");
        return keys.table.list().find((key) => key.secretHash === secretHash);
      },
      freeOrdinal: () => freeOrdinal(new Set(keys.table.list().map(({ ordinal }) => ordinal))),
      authOf: (id) => (auths.has(id) ? auths.get(id) : base.authOf(id)),
      putAuth: (id, auth) => void auths.set(id, auth),
      ...derivedRows({ organisations: organisations.table, teams: teams.table, keys: keys.table }),
      ratePlanRevision: () => ratePlanRevision,
      raiseRatePlan: ({ by, least }) => (ratePlanRevision = Math.max(ratePlanRevision + by, least)),
      replacePoolsAndPlans: (config) => (poolsAndPlans = config),
    },
    made() {
      const changed = [organisations, teams, keys, connections].some((table) => table.changed.size > 0);
      if (!changed && poolsAndPlans === undefined && ratePlanRevision === base.ratePlanRevision())
        return undefined;
      return {
        organisations: organisations.changed,
        teams: teams.changed,
        keys: keys.changed,
        connections: connections.changed,
        auths,
        ratePlanRevision,
        poolsAndPlans,
      };
    },
  };
}

function stagedTable<Row extends { readonly id: string; readonly createdAt: number }>(
  base: Table<Row>,
): { readonly table: WritableTable<Row>; readonly changed: ReadonlyMap<string, Row | undefined> } {
  const changed = new Map<string, Row | undefined>();
  const get = (id: string): Row | undefined => (changed.has(id) ? changed.get(id) : base.get(id));
  return {
    changed,
    table: {
      get,
      list() {
        if (changed.size === 0) return base.list();
        const others = base.list().filter(({ id }) => !changed.has(id));
        return byAge([...others, ...[...changed.values()].filter((row) => row !== undefined)]);
      },
      put: (row) => void changed.set(row.id, row),
      delete(id) {
        const existed = get(id) !== undefined;
        if (existed) changed.set(id, undefined);
        return existed;
      },
    },
  };
}
