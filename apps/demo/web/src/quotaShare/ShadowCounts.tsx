import type { LendingSpec } from "@quota/core";
import type { PoolJson, ShadowJson } from "@quota/http";
import { wholeText } from "../ui/formats.js";
import { lendingText } from "../ui/lendingText.js";
import { Moment } from "../ui/Moment.js";
import styles from "./LendingSummary.module.css";
import { usePoolShadow } from "./usePoolShadow.js";

/** What the shadow rule would have done with the requests that were decided. */
export function ShadowCounts({
  pool,
  shadow,
  isSeen,
}: {
  readonly pool: PoolJson;
  readonly shadow: LendingSpec;
  readonly isSeen: boolean;
}) {
  const { data, error } = usePoolShadow(pool, { isSeen });
  return (
    <p className={styles.shadow}>
      <span>
        <strong>Shadow: {lendingText(shadow)}.</strong>{" "}
        {data === undefined
          ? error === null
            ? "Asking what it would have done…"
            : "What it would have done is not known now."
          : countsText(data)}
      </span>
      {data !== undefined && (
        <span>
          counted by this gateway process since <Moment at={data.since} />
        </span>
      )}
    </p>
  );
}

function countsText({
  counts: { bothAllowed, bothRefused, onlyShadowAllows, onlyShadowRefuses, unknown },
}: ShadowJson): string {
  const asked = bothAllowed + bothRefused + onlyShadowAllows + onlyShadowRefuses;
  const unasked =
    unknown === 0 ? "" : ` Of ${requests(unknown)} it could not say anything, since a window rolls.`;
  if (asked === 0) return `It was asked about no request yet.${unasked}`;
  return `Of ${requests(asked)} it would have refused ${onlyShadowRefuses === 0 ? "none" : wholeText(onlyShadowRefuses)} that passed, and let ${onlyShadowAllows === 0 ? "none" : wholeText(onlyShadowAllows)} pass that were refused.${unasked}`;
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${wholeText(count)} requests`;
}
