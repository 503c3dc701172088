import { detailOf } from "../api/request.js";
import styles from "./FormFault.module.css";

/** Why nothing was written, in a form that keeps what was typed. */
export function FormFault({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p className={styles.fault} role="alert">
      {detailOf(error)}
    </p>
  );
}
