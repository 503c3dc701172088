import { useState } from "react";
import { Button } from "../ui/Button.js";
import { keep, kept } from "../ui/kept.js";
import styles from "./QuotaConceptCard.module.css";

const DISMISSED_AS = "quota:concept-dismissed";

/** What a newcomer must know, in four sentences and a picture; gone when dismissed, and back when asked for. */
export function QuotaConceptCard() {
  const [isDismissed, setDismissed] = useState(() => kept(DISMISSED_AS) !== undefined);
  const dismiss = (dismissed: boolean): void => {
    keep(DISMISSED_AS, dismissed ? "yes" : undefined);
    setDismissed(dismissed);
  };
  if (isDismissed)
    return (
      <div className={styles.again}>
        <Button look="quiet" onClick={() => dismiss(false)}>
          How sharing works
        </Button>
      </div>
    );
  return (
    <section className={styles.card} aria-labelledby="concept">
      <div className={styles.words}>
        <h2 id="concept">How sharing works</h2>
        <dl>
          <dt>Share</dt>
          <dd>
            Every key has a part of the account that is its own, by its weight: 30 % of 1,500 requests are
            450.
          </dd>
          <dt>Borrowing</dt>
          <dd>
            While the account has room, a key may take more than its share, out of what others leave idle.
          </dd>
          <dt>Saturation</dt>
          <dd>
            From a threshold on, half of the limit unless you say otherwise, the pool is strict: whoever has
            used up his share waits, and everybody else goes on.
          </dd>
          <dt>Window</dt>
          <dd>
            Use counts for as long as the provider counts it, an hour or a week, and then makes room again.
          </dd>
        </dl>
        <Button onClick={() => dismiss(true)}>Understood</Button>
      </div>
      <Picture />
    </section>
  );
}

/** One account twice: below the threshold, where bob borrows, and above it, where he waits. */
function Picture() {
  return (
    <svg
      className={styles.picture}
      viewBox="0 0 320 190"
      role="img"
      aria-label="Two bars of one account. In the first, bob uses more than his share while less than half of the account is used: he borrows. In the second more than half is used: bob is held to his share, and alice still has room."
    >
      <g className={styles.label}>
        <text x="0" y="14">
          generous: bob borrows
        </text>
        <text x="0" y="112">
          strict: bob waits, alice goes on
        </text>
      </g>
      <g transform="translate(0 24)">
        <rect className={styles.free} width="320" height="26" rx="3" />
        <rect className={styles.alice} width="30" height="26" rx="3" />
        <rect className={styles.bob} x="30" width="112" height="26" />
        <rect className={styles.aliceShare} y="32" width="160" height="4" />
        <rect className={styles.bobShare} x="160" y="32" width="96" height="4" />
        <rect className={styles.carolShare} x="256" y="32" width="64" height="4" />
        <line className={styles.threshold} x1="160" x2="160" y1="-4" y2="30" />
      </g>
      <g transform="translate(0 122)">
        <rect className={styles.free} width="320" height="26" rx="3" />
        <rect className={styles.alice} width="60" height="26" rx="3" />
        <rect className={styles.bob} x="60" width="112" height="26" />
        <rect className={styles.aliceShare} y="32" width="160" height="4" />
        <rect className={styles.bobShare} x="160" y="32" width="96" height="4" />
        <rect className={styles.carolShare} x="256" y="32" width="64" height="4" />
        <line className={styles.threshold} x1="160" x2="160" y1="-4" y2="30" />
        <text className={styles.label} x="0" y="54">
          bar: what is used · line below: whose share it is
        </text>
      </g>
    </svg>
  );
}
