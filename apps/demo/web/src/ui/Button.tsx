import type { ButtonHTMLAttributes } from "react";
import styles from "./Button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the one thing to do here. `danger`: it cannot be undone. `quiet`: beside other things. */
  readonly look?: "primary" | "plain" | "danger" | "quiet";
  /** What it does is under way: it says so, does nothing more when it is pressed, and keeps the focus. */
  readonly busy?: boolean;
}

export function Button({ look = "plain", busy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${styles.button} ${styles[look]}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={(event) => {
        // Of a form's button this keeps the form from being sent again.
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {busy && <span className={styles.busy} aria-hidden="true" />}
    </button>
  );
}
