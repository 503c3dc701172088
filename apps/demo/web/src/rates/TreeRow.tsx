import type { ReactNode } from "react";
import type { VisibleRate } from "./visibleRates.js";
import styles from "./rates.module.css";

export type TreeLine = Pick<VisibleRate, "level" | "position" | "siblings" | "isOpen">;

/** A line of the tree grid. One of them is reached with Tab, the others from there with the arrow keys. */
export function TreeRow({
  rowKey,
  line: { level, position, siblings, isOpen },
  isActive,
  children,
}: {
  readonly rowKey: string;
  readonly line: TreeLine;
  readonly isActive: boolean;
  readonly children: ReactNode;
}) {
  return (
    <tr
      role="row"
      className={styles.row}
      data-key={rowKey}
      data-level={level}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      tabIndex={isActive ? 0 : -1}
    >
      {children}
    </tr>
  );
}
