import type { ConnectionLive as Live } from "../api/useConnections.js";
import { Badge } from "../ui/Badge.js";
import { wholeText } from "../ui/formats.js";
import { Moment } from "../ui/Moment.js";
import styles from "./connections.module.css";

/** Whether a connection fails of late, how long it takes to answer, and what goes through it in this minute. */
export function ConnectionLive({ live }: { readonly live: Live | undefined }) {
  if (live === undefined) return <span className={styles.muted}>…</span>;
  const { cooldownUntil, latencyMs, tokensThisMinute } = live;
  return (
    <ul className={styles.live}>
      {cooldownUntil !== undefined && (
        <li title="Three failures within a minute: refused, failed, too slow or unreachable. Requests still go to it.">
          <Badge tone="warning">
            fails, until <Moment at={Date.parse(cooldownUntil)} />
          </Badge>
        </li>
      )}
      <li title="Until the head of an answer: the average of the newest in the last hour.">
        {latencyMs === undefined ? "no answer in the last hour" : `answers in ${wholeText(latencyMs)} ms`}
      </li>
      <li>{wholeText(tokensThisMinute)} tokens this minute</li>
    </ul>
  );
}
