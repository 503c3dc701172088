import type { UpstreamAuth } from "../upstreamAuth.js";
import { byAge } from "./byAge.js";
import { derivedRows } from "./derivedRows.js";
import type { GatewayRows, StoredKey, Table } from "./gatewayTables.js";
import type { RowChanges } from "./rowChanges.js";

/** All rows in memory, as of one moment. */
export interface RowSnapshot {
  readonly rows: GatewayRows;
  /** In one turn, so that nobody sees half of it. */
  apply(changes: RowChanges, from: "what there is" | "nothing"): void;
}

export function createRowSnapshot(): RowSnapshot {
  const organisations = memoryTable<NonNullable<ReturnType<GatewayRows["organisations"]["get"]>>>();
  const teams = memoryTable<NonNullable<ReturnType<GatewayRows["teams"]["get"]>>>();
  const keys = memoryTable<StoredKey>();
  const connections = memoryTable<NonNullable<ReturnType<GatewayRows["connections"]["get"]>>>();
  const auths = new Map<string, UpstreamAuth>();
  let byHash: ReadonlyMap<string, StoredKey> = new Map();
  let ratePlanRevision = 0;

  return {
    rows: {
      organisations,
      teams,
      keys,
      connections,
      keyOfSecret: (hash) => byHash.get(hash.toString("hex")),
      authOf: (id) => auths.get(id),
      ...derivedRows({ organisations, teams, keys }),
      ratePlanRevision: () => ratePlanRevision,
    },
    apply(changes, from) {
      if (from === "nothing") {
        for (const table of [organisations, teams, keys, connections]) table.clear();
        auths.clear();
      }
      organisations.apply(changes.organisations);
      teams.apply(changes.teams);
      connections.apply(changes.connections);
      if (changes.keys.size > 0 || from === "nothing") {
        keys.apply(changes.keys);
        byHash = new Map(keys.list().map((key) => [key.secretHash, key]));
      }
      for (const [id, auth] of changes.auths)
        if (auth === undefined) auths.delete(id);
        else auths.set(id, auth);
      ({ ratePlanRevision } = changes);
    },
  };
}

interface MemoryTable<Row> extends Table<Row> {
  apply(changed: ReadonlyMap<string, Row | undefined>): void;
  clear(): void;
}

/** Its list is the same object for as long as nothing in it has changed. */
function memoryTable<Row extends { readonly id: string; readonly createdAt: number }>(): MemoryTable<Row> {
  const byId = new Map<string, Row>();
  let listed: readonly Row[] | undefined;
  return {
    get: (id) => byId.get(id),
    list: () => (listed ??= byAge(byId.values())),
    apply(changed) {
      for (const [id, row] of changed)
        if (row === undefined) byId.delete(id);
        else byId.set(id, row);
      if (changed.size > 0) listed = undefined;
    },
    clear() {
      byId.clear();
      listed = undefined;
    },
  };
}
