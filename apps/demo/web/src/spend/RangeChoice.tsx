import { useId } from "react";
import styles from "./RangeChoice.module.css";

const RANGES = [7, 30, 90] as const;

export type SpendRangeDays = (typeof RANGES)[number];

/** How far back the page looks. */
export function RangeChoice({
  days,
  onChoose,
}: {
  readonly days: SpendRangeDays;
  readonly onChoose: (days: SpendRangeDays) => void;
}) {
  const name = useId();
  return (
    <fieldset className={styles.ranges}>
      <legend className="visually-hidden">Range of time</legend>
      {RANGES.map((range) => (
        <label key={range} className={styles.range}>
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={range === days}
            onChange={() => onChoose(range)}
          />
          {range} days
        </label>
      ))}
    </fieldset>
  );
}
