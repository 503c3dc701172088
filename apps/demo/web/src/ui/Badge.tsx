import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export type BadgeTone = "good" | "warning" | "danger" | "neutral";

/** A state as a word with a sign of its own, so that colour is never all there is. */
export function Badge({ tone, children }: { readonly tone: BadgeTone; readonly children: ReactNode }) {
  return (
    <span className={`${styles.badge} ${styles[tone]}`}>
      <span aria-hidden="true">{SIGNS[tone]}</span>
      {children}
    </span>
  );
}

const SIGNS: Readonly<Record<BadgeTone, string>> = { good: "●", warning: "▲", danger: "■", neutral: "○" };
