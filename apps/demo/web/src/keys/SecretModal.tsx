import { useState } from "react";
import type { ApiKey } from "../api/useKeys.js";
import type { RateWarning } from "../rates/rateWarning.js";
import { Button } from "../ui/Button.js";
import { CopyButton } from "../ui/CopyButton.js";
import { Field } from "../ui/Field.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { Notice } from "../ui/Notice.js";
import styles from "./keys.module.css";

/** A key with its secret, as the answer that makes it has it this once. */
export interface ShownSecret extends ApiKey {
  readonly secret: string;
  readonly warnings?: readonly RateWarning[];
}

/** Shows a secret for the only time. Whoever closes it without a copy is asked first. */
export function SecretModal({ made, onClose }: { readonly made: ShownSecret; readonly onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const close = (): void => (isCopied || isAsking ? onClose() : setAsking(true));
  return (
    <Modal
      title="The key’s secret"
      about="Copy it now: the gateway keeps only its hash, so it is never shown again."
      onClose={close}
      dismissible={isCopied}
      actions={
        isAsking && !isCopied ? (
          <>
            <Button look="danger" onClick={onClose}>
              Close without a copy
            </Button>
            <Button look="primary" onClick={() => setAsking(false)}>
              Back to the secret
            </Button>
          </>
        ) : (
          <>
            <CopyButton text={made.secret} label="Copy secret" onCopied={() => setCopied(true)} />
            <Button look={isCopied ? "primary" : "plain"} onClick={close}>
              Done
            </Button>
          </>
        )
      }
    >
      <p>
        <Name>{made.name}</Name>
      </p>
      <Field label="Secret">
        <textarea
          readOnly
          rows={2}
          spellCheck={false}
          className={styles.secret}
          value={made.secret}
          onFocus={({ target }) => target.select()}
          // Copied by hand is copied.
          onCopy={() => setCopied(true)}
        />
      </Field>
      {isAsking && !isCopied && (
        <Notice tone="warning">
          You have not copied it yet. Once this is closed nobody can show it to you; the key would have to be
          rotated.
        </Notice>
      )}
      {made.warnings?.map(({ id, dimension, message }) => (
        <Notice key={`${id} ${dimension}`} tone="warning">
          {message}
        </Notice>
      ))}
    </Modal>
  );
}
