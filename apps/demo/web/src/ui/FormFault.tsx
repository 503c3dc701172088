import { isUnderPath } from "../api/isUnderPath.js";
import { detailOf, faultsOf } from "../api/request.js";
import styles from "./FormFault.module.css";

/** Why nothing was written, in a form that keeps what was typed, as far as it does not stand at a field. */
export function FormFault({
  error,
  fields = [],
}: {
  readonly error: unknown;
  /** The paths whose faults the form's own fields show now. */
  readonly fields?: readonly string[];
}) {
  if (error === null || error === undefined) return null;
  const faults = [...faultsOf(error)];
  const elsewhere = faults.filter(([path]) => !fields.some((field) => isUnderPath(path, field)));
  const said = faults.length === 0 ? [detailOf(error)] : elsewhere.map(([, message]) => message);
  if (said.length === 0) return null;
  return (
    <div className={styles.fault} role="alert">
      {said.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}
