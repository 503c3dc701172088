import { detailOf } from "../api/request.js";
import { Button } from "./Button.js";
import styles from "./states.module.css";

/** It could not be read: what the gateway said, and a way to ask again. */
export function ErrorState({
  what,
  error,
  onRetry,
}: {
  readonly what: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}) {
  return (
    <div className={styles.state} role="alert">
      <h2>{what} cannot be shown</h2>
      <p>{detailOf(error)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}
