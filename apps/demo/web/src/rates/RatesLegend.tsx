import { RATE_WORDS } from "./RateWord.js";
import styles from "./rates.module.css";

/** What the columns and words of the tree mean, and how one goes about in it without a pointer. */
export function RatesLegend() {
  return (
    <div className={styles.legend}>
      <p>
        <b>limit</b> a whole number a minute, or “none”; 0 refuses everything. <b>held</b> what limited
        members have not used yet, kept for them. <b>left</b> what any other member may still use.
      </p>
      <p>
        <b>uncounted</b> <span id="rates-uncounted">{RATE_WORDS.uncounted}</span>
      </p>
      <p>
        <b>unlimited</b> <span id="rates-unlimited">{RATE_WORDS.unlimited}</span>
      </p>
      <p id="rates-keys" className={styles.withKeyboard}>
        With the keyboard: up and down between lines, right and left open and close, Tab or Enter into a
        line’s limits.
      </p>
    </div>
  );
}
