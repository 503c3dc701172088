import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { detailOf, request } from "../api/request.js";
import type { Connection } from "../api/useConnections.js";
import { usePools } from "../api/usePools.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { Notice } from "../ui/Notice.js";

/** Takes the connection's id, typed, before it is gone, and says which pool hangs on it. */
export function DeleteConnection({
  connection: { id },
  onClose,
  onDeleted,
}: {
  readonly connection: Connection;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const [typed, setTyped] = useState("");
  const { data: pools, error } = usePools();
  const hanging = pools?.filter(({ connectionId }) => connectionId === id) ?? [];
  const deleting = useMutation({
    mutationFn: () => request(`/api/connections/${encodeURIComponent(id)}`, { method: "DELETE" }),
    onSuccess: onDeleted,
  });
  const isRight = typed.trim() === id;
  return (
    <Modal
      title="Delete the connection"
      about={<Name>{id}</Name>}
      onClose={onClose}
      dismissible={typed === ""}
      onSubmit={() => {
        if (isRight) deleting.mutate();
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="danger"
            busy={deleting.isPending}
            disabled={!isRight || (pools === undefined && error === null)}
          >
            Delete connection
          </Button>
        </>
      }
    >
      <p>Requests for it are refused from now on, and its stored secret is gone. This cannot be undone.</p>
      {error !== null && <p>Whether a pool hangs on it is not known: {detailOf(error)}</p>}
      {pools !== undefined && hanging.length === 0 && <p>No pool hangs on it.</p>}
      {hanging.map(({ id: poolId, name }) => (
        <Notice key={poolId} tone="warning">
          The pool <Name>{name}</Name> hangs on it. It stays with its allocations, and governs nothing until
          there is a connection of this id again.
        </Notice>
      ))}
      <Field label="Type the connection’s id to delete it">
        <input
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      <FormFault error={deleting.error} />
    </Modal>
  );
}
