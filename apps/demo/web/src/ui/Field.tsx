import { useId, type ReactElement, type ReactNode } from "react";
import { cloneElement } from "react";
import styles from "./Field.module.css";

export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong with it, said by the gateway or by the form. */
  readonly fault?: string | undefined;
  /** An input, a select or a textarea; it gets its id and what describes it. */
  readonly children: ReactElement<{
    id?: string;
    "aria-describedby"?: string | undefined;
    "aria-invalid"?: boolean | undefined;
  }>;
}

/** A control with its label, its hint and its fault, tied together for screen readers. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(
    Boolean,
  );
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {cloneElement(children, {
        id,
        "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
        "aria-invalid": fault === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p className={styles.fault} id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
