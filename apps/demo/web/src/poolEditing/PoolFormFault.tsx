import { detailOf, faultsOf } from "../api/request.js";
import type { FieldFaults } from "./fieldFaults.js";
import styles from "./PoolFormFault.module.css";

/** Why nothing was written, as far as it does not stand at a field. */
export function PoolFormFault({ error, faults }: { readonly error: unknown; readonly faults: FieldFaults }) {
  if (error === null || error === undefined) return null;
  const said = faultsOf(error).size === 0 ? [detailOf(error)] : faults.elsewhere;
  if (said.length === 0) return null;
  return (
    <div className={styles.fault} role="alert">
      <ul>
        {said.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
