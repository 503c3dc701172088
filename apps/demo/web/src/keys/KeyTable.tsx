import { useDeferredValue, useState } from "react";
import type { ApiKey } from "../api/useKeys.js";
import { useOrganisations } from "../api/useOrganisations.js";
import { useTeams } from "../api/useTeams.js";
import { Button } from "../ui/Button.js";
import { wholeText } from "../ui/formats.js";
import { EmptyState } from "../ui/EmptyState.js";
import type { RowMenuHandle } from "../ui/RowMenu.js";
import stacked from "../ui/stacked.module.css";
import { KeyRow } from "./KeyRow.js";
import styles from "./keys.module.css";

/** All keys, or those whose name, id or place has what is typed. */
export function KeyTable({
  keys,
  menu,
}: {
  readonly keys: readonly ApiKey[];
  readonly menu: RowMenuHandle<ApiKey>;
}) {
  const [typed, setTyped] = useState("");
  const sought = useDeferredValue(typed.trim().toLowerCase());
  const placeOf = usePlaces();
  const found = keys.filter((key) =>
    [key.name, key.id, placeOf(key) ?? ""].some((text) => text.toLowerCase().includes(sought)),
  );
  return (
    <>
      <div className={styles.tools}>
        <input
          type="search"
          className={styles.filter}
          aria-label="Filter keys by name, id, team or organisation"
          placeholder="Filter by name, id, team…"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <span className={styles.muted} role="status">
          {found.length === keys.length
            ? `${wholeText(keys.length)} ${keys.length === 1 ? "key" : "keys"}`
            : `${wholeText(found.length)} of ${wholeText(keys.length)} keys`}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState
          title="No key is like that"
          action={<Button onClick={() => setTyped("")}>Show all</Button>}
        >
          The filter looks for what you typed in names, ids, teams and organisations.
        </EmptyState>
      ) : (
        <div className="table-frame">
          <table className={`table ${stacked.stacked}`} aria-label="Keys">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">State</th>
                <th scope="col">Belongs to</th>
                <th scope="col" className="figure">
                  Requests/min
                </th>
                <th scope="col" className="figure">
                  Tokens/min
                </th>
                <th scope="col">Created</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {found.map((key) => (
                <KeyRow key={key.id} apiKey={key} place={placeOf(key)} menu={menu} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Whom keys belong to, by the names of teams and organisations. */
function usePlaces(): (key: ApiKey) => string | undefined {
  const { data: teams } = useTeams();
  const { data: organisations } = useOrganisations();
  const teamNames = new Map(teams?.map(({ id, name }) => [id, name]));
  const organisationNames = new Map(organisations?.map(({ id, name }) => [id, name]));
  return ({ teamId, orgId }) => {
    const named = [
      orgId === null ? undefined : (organisationNames.get(orgId) ?? orgId),
      teamId === null ? undefined : (teamNames.get(teamId) ?? teamId),
    ].filter((name) => name !== undefined);
    return named.length === 0 ? undefined : named.join(" › ");
  };
}
