import type { ReactNode } from "react";
import styles from "./Notice.module.css";

/** A sentence that concerns the whole page or card. */
export function Notice({
  tone,
  children,
  action,
}: {
  readonly tone: "info" | "warning";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role="status">
      <div>{children}</div>
      {action}
    </div>
  );
}
