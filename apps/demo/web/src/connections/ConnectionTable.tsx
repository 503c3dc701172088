import { useMemo } from "react";
import type { Connection } from "../api/useConnections.js";
import { useOverview } from "../api/useOverview.js";
import { usePools } from "../api/usePools.js";
import type { RowMenuHandle } from "../ui/RowMenu.js";
import stacked from "../ui/stacked.module.css";
import { ConnectionRow } from "./ConnectionRow.js";

/** All connections, with the pool that governs each, and whether its provider wants a login. */
export function ConnectionTable({
  connections,
  menu,
}: {
  readonly connections: readonly Connection[];
  readonly menu: RowMenuHandle<Connection>;
}) {
  const { data: pools } = usePools();
  const { data: overview } = useOverview();
  const poolOf = useMemo(() => new Map(pools?.map((pool) => [pool.connectionId, pool])), [pools]);
  return (
    <div className="table-frame">
      <table className={`table ${stacked.stacked}`} aria-label="Connections">
        <thead>
          <tr>
            {["Connection", "Provider", "Address", "Models", "Dialects", "Pool", "Right now"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {connections.map((connection) => (
            <ConnectionRow
              key={connection.id}
              connection={connection}
              pool={pools === undefined ? "unknown" : poolOf.get(connection.id)}
              login={overview?.logins.find(({ connectionId }) => connectionId === connection.id)?.reason}
              menu={menu}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
