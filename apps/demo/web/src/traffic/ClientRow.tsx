import { useState } from "react";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { nameText, wholeText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { Name } from "../ui/Name.js";
import styles from "./TrafficPanel.module.css";
import type { TrafficClient } from "./useTraffic.js";

/** One simulated client: what it does, what it met, and a button that starts or stops it. */
export function ClientRow({
  client,
  poolName,
  isNext,
  isBusy,
  onChange,
}: {
  readonly client: TrafficClient;
  readonly poolName: string | undefined;
  /** Whether it is the one to start now. */
  readonly isNext: boolean;
  readonly isBusy: boolean;
  /** Rejects when it was refused; the panel says why. */
  readonly onChange: (wanted: Wanted) => Promise<unknown>;
}) {
  const { apiKeyId, running, perSecond, sent, passed, refused, failed, lastRefusal } = client;
  const [typed, setTyped] = useState<string>();
  const wanted = typed === undefined ? perSecond : typed.trim() === "" ? Number.NaN : Number(typed);
  const change = (asked: Wanted): void =>
    void onChange(asked).then(
      // A rate is the client's once it is taken; what was refused stays to be put right.
      () => asked.perSecond !== undefined && setTyped((now) => (now === typed ? undefined : now)),
      () => undefined,
    );
  return (
    <tr>
      <th scope="row">
        <KeyName id={apiKeyId} />
      </th>
      <td data-label="State" className={styles.state}>
        {running ? (
          <Badge tone="good">
            asks <Name>{poolName ?? client.connectionId}</Name>
          </Badge>
        ) : (
          <Badge tone="neutral">stopped</Badge>
        )}
      </td>
      <td data-label="Per second">
        <input
          className={styles.rate}
          type="number"
          min={0.1}
          max={50}
          step="any"
          aria-label={`Requests per second of ${nameText(apiKeyId)}`}
          value={typed ?? String(perSecond)}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => {
            if (running && wanted !== perSecond) change({ running, perSecond: wanted });
          }}
          onKeyDown={({ key }) => {
            if (key === "Enter") change({ running, perSecond: wanted });
          }}
        />
      </td>
      <td data-label="Sent" className="figure">
        {wholeText(sent)}
      </td>
      <td data-label="Passed" className="figure">
        {wholeText(passed)}
      </td>
      <td data-label="Refused" className="figure">
        {wholeText(refused)}
      </td>
      <td data-label="Failed" className="figure">
        {wholeText(failed)}
      </td>
      <td data-label="Last refusal" className={styles.reason}>
        {lastRefusal === undefined ? "none" : (REASONS.get(lastRefusal) ?? lastRefusal)}
      </td>
      <td className="actions">
        <Button
          look={isNext ? "primary" : "plain"}
          busy={isBusy}
          aria-label={`${running ? "Stop" : "Start"} ${nameText(apiKeyId)}`}
          onClick={() => change(running ? { running: false } : { running: true, perSecond: wanted })}
        >
          {running ? "Stop" : "Start"}
        </Button>
      </td>
    </tr>
  );
}

interface Wanted {
  readonly running: boolean;
  /** Left out: as it is. */
  readonly perSecond?: number;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["quota_fair_share", "share used up"],
  ["quota_in_flight", "share held in flight"],
  ["quota_pool_exhausted", "pool used up"],
  ["quota_cap_absolute", "cap reached"],
]);
