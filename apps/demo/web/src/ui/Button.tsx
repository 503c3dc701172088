import type { ButtonHTMLAttributes } from "react";
import styles from "./Button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the one thing to do here. `danger`: it cannot be undone. `quiet`: beside other things. */
  readonly look?: "primary" | "plain" | "danger" | "quiet";
  /** What it does is under way: it says so, and cannot be pressed again. */
  readonly busy?: boolean;
}

export function Button({ look = "plain", busy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${styles.button} ${styles[look]}`}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    >
      {children}
      {busy && <span className={styles.busy} aria-hidden="true" />}
    </button>
  );
}
