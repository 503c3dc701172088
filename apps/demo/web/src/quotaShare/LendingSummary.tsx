import type { PoolJson } from "@quota/http";
import { Button } from "../ui/Button.js";
import { curveAbout, LENDING_WORDS, lendingCurve, lendingRule, lendingText } from "../ui/lendingText.js";
import styles from "./LendingSummary.module.css";
import { ShadowCounts } from "./ShadowCounts.js";

/** By which rule a pool lends, in words, and what its shadow rule would have done. */
export function LendingSummary({
  pool,
  isSeen,
  onChange,
}: {
  readonly pool: PoolJson;
  readonly isSeen: boolean;
  readonly onChange: (pool: PoolJson) => void;
}) {
  const { lending, shadow } = pool;
  const rule = lendingRule(lending);
  return (
    <div className={styles.lending}>
      <p className={styles.words}>
        <strong>Lending: {lendingText(lending)}.</strong> {LENDING_WORDS[rule].about}
        {rule === "reserve" && ` ${curveAbout(lendingCurve(lending))}`}
      </p>
      <Button look="quiet" onClick={() => onChange(pool)}>
        Change the rule
      </Button>
      {shadow !== undefined && <ShadowCounts pool={pool} shadow={shadow} isSeen={isSeen} />}
    </div>
  );
}
