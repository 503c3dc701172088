import { memo } from "react";
import type { ApiKey } from "../api/useKeys.js";
import { Badge } from "../ui/Badge.js";
import { wholeText } from "../ui/formats.js";
import { KeySwatch } from "../ui/KeySwatch.js";
import { Moment } from "../ui/Moment.js";
import { Name } from "../ui/Name.js";
import type { RowMenuHandle } from "../ui/RowMenu.js";
import { RowMenuButton } from "../ui/RowMenuButton.js";
import stacked from "../ui/stacked.module.css";
import styles from "./keys.module.css";

/** One key of the table. */
export const KeyRow = memo(function KeyRow({
  apiKey,
  place,
  menu,
}: {
  readonly apiKey: ApiKey;
  /** Whom it belongs to, in words; undefined: nobody. */
  readonly place: string | undefined;
  readonly menu: RowMenuHandle<ApiKey>;
}) {
  const { id, name, ordinal, rpm, tpm, createdAt } = apiKey;
  return (
    <tr>
      <th scope="row">
        <span className={styles.who}>
          <KeySwatch ordinal={ordinal} />
          <span className={styles.names}>
            <Name>{name}</Name>
            {name !== id && (
              <code className={styles.id}>
                <Name>{id}</Name>
              </code>
            )}
          </span>
        </span>
      </th>
      <td data-label="State">
        <KeyState apiKey={apiKey} />
      </td>
      <td data-label="Belongs to">
        <span className={styles.place}>
          {place === undefined ? <span className={styles.muted}>nobody</span> : <Name>{place}</Name>}
        </span>
      </td>
      <td data-label="Requests/min" className="figure">
        <Limit limit={rpm} />
      </td>
      <td data-label="Tokens/min" className="figure">
        <Limit limit={tpm} />
      </td>
      <td data-label="Created" className={styles.moment}>
        <Moment at={Date.parse(createdAt)} />
      </td>
      <td className={`actions ${stacked.menu}`}>
        <RowMenuButton menu={menu} row={apiKey} label={`What can be done with ${id.slice(0, 60)}`} />
      </td>
    </tr>
  );
});

function Limit({ limit }: { readonly limit: number | null }) {
  if (limit === null) return <span className={styles.muted}>none</span>;
  return limit === 0 ? <span title="0 refuses everything">0, refused</span> : wholeText(limit);
}

function KeyState({ apiKey: { disabled, loopbackOnly } }: { readonly apiKey: ApiKey }) {
  return (
    <span className={styles.states}>
      {disabled ? <Badge tone="danger">disabled</Badge> : <Badge tone="good">enabled</Badge>}
      {loopbackOnly && (
        <span title="Its secret is public knowledge, so it opens nothing but a gateway on a loopback address.">
          <Badge tone="neutral">demo key</Badge>
        </span>
      )}
    </span>
  );
}
