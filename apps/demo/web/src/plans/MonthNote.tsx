import type { DimensionSpec } from "@quota/core";
import styles from "./MonthNote.module.css";

/** Says what a month is, where one is shown that is not the calendar's. */
export function MonthNote({
  dimensions,
}: {
  readonly dimensions: readonly Pick<DimensionSpec, "window" | "anchor">[];
}) {
  const isLength = dimensions.some(
    ({ window, anchor }) => window === "monthly" && typeof anchor !== "object",
  );
  return isLength ? (
    <p className={styles.note}>
      A month that is not laid on a calendar is a length of 30 days, not a calendar month.
    </p>
  ) : null;
}
