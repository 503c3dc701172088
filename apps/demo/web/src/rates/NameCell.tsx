import type { ReactNode } from "react";
import styles from "./rates.module.css";

/** What a line is about, after the button that opens and closes what belongs to it. */
export function NameCell({
  name,
  isOpen,
  onToggle,
  colSpan,
  children,
}: {
  readonly name: string;
  readonly isOpen: boolean | undefined;
  readonly onToggle: () => void;
  readonly colSpan?: number;
  readonly children: ReactNode;
}) {
  return (
    <th scope="row" role="rowheader" colSpan={colSpan}>
      <span className={styles.name}>
        {isOpen === undefined ? (
          <span className={styles.toggle} />
        ) : (
          <button
            type="button"
            className={styles.toggle}
            // The arrow keys do the same from the line; Tab goes on to its limits.
            tabIndex={-1}
            aria-label={`${isOpen ? "Close" : "Open"} ${name}`}
            onClick={onToggle}
          >
            <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          </button>
        )}
        {children}
      </span>
    </th>
  );
}
