import { useState } from "react";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { RawText } from "./RawText.js";
import styles from "./DamagedItem.module.css";
import type { DamagedItemJson } from "./useSpendQueue.js";

/** What the queue stopped at, why, and the two ways on. */
export function DamagedItem({
  item,
  isBusy,
  error,
  onRetry,
  onKeepAside,
}: {
  readonly item: DamagedItemJson;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly onKeepAside: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const { why, raw, requestId } = item;
  return (
    <div className={styles.damaged} role="group" aria-label="Damaged item">
      <p>
        The oldest item of the queue cannot be read, and nothing behind it is written: <bdi>{why}</bdi>
        {requestId !== undefined && (
          <>
            {" "}
            It is of the request <code>{requestId}</code>.
          </>
        )}
      </p>
      <RawText raw={raw} />
      <div className={styles.actions}>
        <Button busy={isBusy} onClick={onRetry}>
          Read it again
        </Button>
        <Button busy={isBusy} look="danger" onClick={() => setAsking(true)}>
          Keep it aside…
        </Button>
      </div>
      <FormFault error={error} />
      {isAsking && (
        <Modal
          title="Keep the item aside"
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>Cancel</Button>
              <Button
                look="danger"
                onClick={() => {
                  setAsking(false);
                  onKeepAside();
                }}
              >
                Keep aside
              </Button>
            </>
          }
        >
          <p>
            It leaves the queue and becomes a dead letter, as it is, with the reason. What it would have
            charged is in no amount unless the letter is retried. Everything behind it is written at once.
          </p>
        </Modal>
      )}
    </div>
  );
}
