import { useMutation } from "@tanstack/react-query";
import { detailOf, request } from "../api/request.js";
import type { ApiKey } from "../api/useKeys.js";
import { usePools } from "../api/usePools.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import styles from "./keys.module.css";

/** Asks before a key is gone, and says which pools still have an allocation for it. */
export function DeleteKey({
  apiKey,
  onClose,
  onDeleted,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const { data: pools, error } = usePools();
  const deleting = useMutation({
    mutationFn: () => request(`/api/keys/${encodeURIComponent(apiKey.id)}`, { method: "DELETE" }),
    onSuccess: onDeleted,
  });
  const allocated = pools?.filter(({ allocations }) =>
    allocations.some(({ apiKeyId }) => apiKeyId === apiKey.id),
  );
  return (
    <Modal
      title="Delete the key"
      about={<Name>{apiKey.id}</Name>}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            busy={deleting.isPending}
            disabled={pools === undefined && error === null}
            onClick={() => deleting.mutate()}
          >
            Delete key
          </Button>
        </>
      }
    >
      <p>
        Its secret is void at once, and this cannot be undone. To lock it out for a while, disable it instead.
      </p>
      {allocated === undefined && error === null && <p className={styles.muted}>Looking into the pools…</p>}
      {error !== null && <p>Which pools have an allocation for it is not known: {detailOf(error)}</p>}
      {allocated?.length === 0 && <p>No pool has an allocation for it.</p>}
      {allocated !== undefined && allocated.length > 0 && (
        <div>
          <p>
            {allocated.length === 1 ? "This pool has" : "These pools have"} an allocation for it, which stays
            there and keeps its share from the others until it is taken out:
          </p>
          <ul className={styles.pools}>
            {allocated.map(({ id, name }) => (
              <li key={id}>
                <Name>{name}</Name>
              </li>
            ))}
          </ul>
        </div>
      )}
      <FormFault error={deleting.error} />
    </Modal>
  );
}
