import type { ReactNode } from "react";
import styles from "./states.module.css";

/** Nothing is here yet: why, and what to do next. */
export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={styles.state}>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
