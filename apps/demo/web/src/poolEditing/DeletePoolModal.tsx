import type { PoolJson } from "@quota/http";
import { useState } from "react";
import { Button } from "../ui/Button.js";
import { CopyButton } from "../ui/CopyButton.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { deletionProof, proves } from "./deletionProof.js";
import { usePoolChanges } from "./usePoolChanges.js";
import styles from "./DeletePoolModal.module.css";

/** Deletes a pool, once it is clear what that means and that this one is meant. */
export function DeletePoolModal({
  pool,
  onClose,
}: {
  readonly pool: PoolJson;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const { remove } = usePoolChanges();
  const proof = deletionProof(pool);
  const isProven = proves(typed, proof);
  const keys = pool.allocations.length;
  return (
    <Modal
      title="Delete the pool"
      about={
        <>
          <Name>{pool.name}</Name>, {keys === 1 ? "1 key" : `${String(keys)} keys`} on{" "}
          <Name>{pool.connectionId}</Name>
        </>
      }
      onClose={onClose}
      onSubmit={() => {
        setWrong(!isProven);
        if (isProven) remove.mutate(pool, { onSuccess: onClose });
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={remove.isPending}>
            Delete the pool
          </Button>
        </>
      }
    >
      <FormFault error={remove.error} />
      <ul className={styles.losses}>
        <li>
          <strong>
            Nothing limits <Name>{pool.connectionId}</Name> any more.
          </strong>{" "}
          A connection without a pool is not governed: every key may use it without a share or a cap, until it
          has a pool again. Limits per minute still hold.
        </li>
        <li>What each key has used in the running windows is forgotten; a new pool starts at zero.</li>
        <li>Weights, policies and caps are gone. The keys themselves and the connection’s plan stay.</li>
      </ul>
      <Field
        label={<Asked what={proof.what} text={proof.text} />}
        fault={
          isWrong && !isProven
            ? `That is not the ${NOUNS[proof.what]}; type it as it is written above.`
            : undefined
        }
      >
        <input
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          dir="auto"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      {proof.what === "id" && (
        <p className={styles.copy}>
          Its name cannot well be typed, so its id is asked for.{" "}
          <CopyButton text={proof.text} label="Copy the id" />
        </p>
      )}
    </Modal>
  );
}

function Asked({ what, text }: { readonly what: keyof typeof NOUNS; readonly text: string }) {
  return (
    <>
      To delete it, type {what === "word" ? "the word" : `its ${NOUNS[what]}`}:{" "}
      <bdi className={styles.proof}>{text}</bdi>
    </>
  );
}

const NOUNS = { name: "name", id: "id", word: "word" } as const;
