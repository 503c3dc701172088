import { memo } from "react";
import { Link } from "wouter";
import type { Connection } from "../api/useConnections.js";
import { Badge } from "../ui/Badge.js";
import { Name } from "../ui/Name.js";
import type { RowMenuHandle } from "../ui/RowMenu.js";
import { RowMenuButton } from "../ui/RowMenuButton.js";
import stacked from "../ui/stacked.module.css";
import { addressText } from "./addressText.js";
import { ConnectionLive } from "./ConnectionLive.js";
import styles from "./connections.module.css";

/** One connection of the table. */
export const ConnectionRow = memo(function ConnectionRow({
  connection,
  pool,
  login,
  menu,
}: {
  readonly connection: Connection;
  /** Undefined: it has no pool; `"unknown"`: the pools are not read. */
  readonly pool: { readonly name: string } | "unknown" | undefined;
  /** Why it needs a login, in a sentence; undefined: it does not. */
  readonly login: string | undefined;
  readonly menu: RowMenuHandle<Connection>;
}) {
  const { id, provider, baseUrl, models, dialects, live } = connection;
  return (
    <tr>
      <th scope="row">
        <Name>{id}</Name>
        {login !== undefined && (
          <div className={styles.login}>
            <Badge tone="danger">needs a login</Badge>
            <p>
              <bdi>{login}</bdi> Log in where its credentials come from, or edit them here.
            </p>
          </div>
        )}
      </th>
      <td data-label="Provider">
        <Name>{provider}</Name>
      </td>
      <td data-label="Address">
        <Name>{addressText(baseUrl)}</Name>
      </td>
      <td data-label="Models">
        <Models models={models} />
      </td>
      <td data-label="Dialects">{dialects.join(", ")}</td>
      <td data-label="Pool">
        <PoolOf pool={pool} />
      </td>
      <td data-label="Right now">
        <ConnectionLive live={live} />
      </td>
      <td className={`actions ${stacked.menu}`}>
        <RowMenuButton menu={menu} row={connection} label={`What can be done with ${id.slice(0, 60)}`} />
      </td>
    </tr>
  );
});

function Models({ models }: { readonly models: readonly string[] | undefined }) {
  if (models === undefined) return <span className={styles.muted}>every model</span>;
  return (
    <ul className={styles.models}>
      {models.slice(0, SHOWN).map((model) => (
        <li key={model}>
          <Name>{model}</Name>
        </li>
      ))}
      {models.length > SHOWN && (
        <li className={styles.muted} title={models.slice(SHOWN).join("\n").slice(0, 1000)}>
          and {models.length - SHOWN} more
        </li>
      )}
    </ul>
  );
}

const SHOWN = 3;

function PoolOf({ pool }: { readonly pool: { readonly name: string } | "unknown" | undefined }) {
  if (pool === "unknown") return <span className={styles.muted}>…</span>;
  if (pool !== undefined)
    return (
      <Link href={POOLS}>
        <Name>{pool.name}</Name>
      </Link>
    );
  return (
    <span className={styles.muted}>
      no; any key may use it. <Link href={POOLS}>Make one</Link>
    </span>
  );
}

const POOLS = "/dashboard/costs/quota-share";
