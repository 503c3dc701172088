import { useState } from "react";
import { useTeams } from "../api/useTeams.js";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { Dollars } from "../ui/Dollars.js";
import { ErrorState } from "../ui/ErrorState.js";
import { percentText, wholeText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { Name } from "../ui/Name.js";
import { TableFrame } from "../ui/TableFrame.js";
import type { SpendGroupJson, SpendGrouping, SpendJson } from "./spendJson.js";
import shared from "./spend.module.css";
import styles from "./SpendTable.module.css";
import { useSpend } from "./useSpend.js";

/** Whose or what most was spent on, largest first, each beside its part of the whole. */
export function SpendTable({ by, days }: { readonly by: "payers" | "models"; readonly days: number }) {
  const [payers, setPayers] = useState<"key" | "team">("key");
  const [isWhole, setWhole] = useState(false);
  const groupBy = by === "models" ? "model" : payers;
  const { data, error, refetch } = useSpend(groupBy, days);
  const title = `By ${groupBy}`;
  return (
    <section className={shared.card} aria-label={title}>
      <div className={shared.head}>
        <h2>{title}</h2>
        {by === "payers" && (
          <select
            aria-label="Whose spend"
            value={payers}
            onChange={({ target }) => setPayers(target.value as "key" | "team")}
          >
            <option value="key">keys</option>
            <option value="team">teams</option>
          </select>
        )}
      </div>
      {data === undefined && error !== null && (
        <ErrorState what={`The spend by ${groupBy}`} error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <p className={shared.muted}>…</p>}
      {data?.groups.length === 0 && <p className={shared.muted}>Nothing was spent in this time.</p>}
      {data !== undefined && data.groups.length > 0 && (
        <>
          <Groups title={title} spend={data} count={isWhole ? data.groups.length : SHOWN} />
          {data.groups.length > SHOWN && (
            <div>
              <Button look="quiet" onClick={() => setWhole(!isWhole)}>
                {isWhole ? "Show the largest" : `Show all ${wholeText(data.groups.length)}`}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

const SHOWN = 8;

function Groups({
  title,
  spend,
  count,
}: {
  readonly title: string;
  readonly spend: SpendJson;
  readonly count: number;
}) {
  const { groupBy, groups, total } = spend;
  return (
    <TableFrame label={title}>
      <table className={`table ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">{HEADS[groupBy]}</th>
            <th scope="col" className="figure">
              Spent
            </th>
            <th scope="col">Part of all</th>
            <th scope="col" className="figure">
              Requests
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, count).map((group) => (
            <tr key={group.group ?? ""}>
              <th scope="row">
                <GroupName groupBy={groupBy} group={group.group} />
              </th>
              <td className="figure">
                <Spent group={group} />
              </td>
              <td>
                <Share part={Number(group.costUsd)} whole={Number(total.costUsd)} />
              </td>
              <td className="figure">
                {wholeText(group.requests)}
                {group.unpriced > 0 && group.unpriced < group.requests && (
                  <div className={styles.unpriced}>{wholeText(group.unpriced)} unpriced</div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const HEADS: Readonly<Record<SpendGrouping, string>> = {
  key: "Key",
  team: "Team",
  model: "Model",
  day: "Day",
};

function GroupName({ groupBy, group }: { readonly groupBy: SpendGrouping; readonly group: string | null }) {
  if (group === null) return <span className={shared.muted}>{NOBODY[groupBy]}</span>;
  if (groupBy === "key") return <KeyName id={group} />;
  return groupBy === "team" ? <TeamName id={group} /> : <Name>{group}</Name>;
}

function TeamName({ id }: { readonly id: string }) {
  const { data: teams } = useTeams();
  return <Name>{teams?.find((team) => team.id === id)?.name ?? id}</Name>;
}

const NOBODY: Readonly<Record<SpendGrouping, string>> = {
  key: "no key",
  team: "no team",
  model: "no model named",
  day: "",
};

function Spent({ group: { costUsd, hotUsd, requests, unpriced } }: { readonly group: SpendGroupJson }) {
  return (
    <>
      {unpriced > 0 && unpriced === requests ? (
        <span title="Nobody knows what these requests cost; they are in no amount.">
          <Badge tone="warning">no price</Badge>
        </span>
      ) : (
        <Dollars of={costUsd} />
      )}
      {hotUsd !== null && Number(hotUsd) > 0 && (
        <div className={shared.muted}>
          <Dollars of={hotUsd} /> on its way
        </div>
      )}
    </>
  );
}

function Share({ part, whole }: { readonly part: number; readonly whole: number }) {
  const share = whole > 0 ? part / whole : 0;
  return (
    <span className={styles.share}>
      <span className={styles.bar} aria-hidden="true">
        <span style={{ width: `${String(100 * share)}%` }} />
      </span>
      <span className={styles.percent}>
        {share > 0 && share < LEAST ? `< ${percentText(LEAST)}` : percentText(share)}
      </span>
    </span>
  );
}

/** What a part is told as, at least, where it is not nothing. */
const LEAST = 0.001;
