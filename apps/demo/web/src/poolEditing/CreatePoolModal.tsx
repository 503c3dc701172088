import { useState } from "react";
import { Link } from "wouter";
import { useConnections, type Connection } from "../api/useConnections.js";
import { useKeys, type ApiKey } from "../api/useKeys.js";
import { usePools } from "../api/usePools.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Field } from "../ui/Field.js";
import { Modal } from "../ui/Modal.js";
import { AllocationsEditor } from "./AllocationsEditor.js";
import { draftSpec } from "./draftSpec.js";
import { newDraft } from "./newDraft.js";
import { PoolFormFault } from "./PoolFormFault.js";
import { sameDraft } from "./sameDraft.js";
import { UnallocatedChoice } from "./UnallocatedChoice.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { usePoolChanges } from "./usePoolChanges.js";
import { usePoolForm } from "./usePoolForm.js";
import styles from "./PoolForm.module.css";

/** Makes a pool of a connection that has none. */
export function CreatePoolModal({ onClose }: { readonly onClose: () => void }) {
  const connections = useConnections();
  const pools = usePools();
  const keys = useKeys();
  if (connections.data !== undefined && pools.data !== undefined && keys.data !== undefined) {
    const taken = new Set(pools.data.map(({ connectionId }) => connectionId));
    const free = connections.data.filter(({ id }) => !taken.has(id));
    return <CreatePool all={connections.data} free={free} keys={keys.data} onClose={onClose} />;
  }
  const failed = [connections, pools, keys].filter(({ error }) => error !== null);
  return (
    <Modal title={TITLE} onClose={onClose} actions={<Button onClick={onClose}>Cancel</Button>}>
      {failed.length === 0 ? (
        <p>Reading connections and keys…</p>
      ) : (
        <ErrorState
          what="What a pool can be made of"
          error={failed[0]!.error}
          onRetry={() => void Promise.all(failed.map(({ refetch }) => refetch()))}
        />
      )}
    </Modal>
  );
}

const TITLE = "New pool";

function CreatePool({
  all,
  free,
  keys,
  onClose,
}: {
  readonly all: readonly Connection[];
  readonly free: readonly Connection[];
  readonly keys: readonly ApiKey[];
  readonly onClose: () => void;
}) {
  const [initial] = useState(() => ({
    connectionId: free.length === 1 ? free[0]!.id : "",
    draft: newDraft(keys),
  }));
  const [connectionId, setConnectionId] = useState(initial.connectionId);
  // Until somebody names it, it is called as its connection.
  const [typedName, setTypedName] = useState<string>();
  const name = typedName ?? connectionId;
  const { draft, dispatch, faults, box, attempt, refuse } = usePoolForm(() => initial.draft, {
    connectionId,
    name,
    keys,
  });
  const { create } = usePoolChanges();
  const isDirty =
    typedName !== undefined ||
    connectionId !== initial.connectionId ||
    !sameDraft({ ...draft, name: "" }, initial.draft);
  const { close, question } = useDiscardQuestion(isDirty, onClose);

  if (free.length === 0 && connectionId === "")
    return <NothingToShare hasConnections={all.length > 0} onClose={onClose} />;

  const save = (): void => {
    if (!attempt()) return;
    create.mutate(draftSpec(connectionId, draft), { onSuccess: onClose, onError: refuse });
  };
  const chosen = free.some(({ id }) => id === connectionId) ? undefined : connectionId;
  return (
    <Modal
      title={TITLE}
      about="One account, and the keys that share it."
      onClose={close}
      onSubmit={save}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={create.isPending}>
              Create the pool
            </Button>
          </>
        )
      }
    >
      <div className={styles.form} ref={box}>
        <PoolFormFault error={create.error} faults={faults} />
        <Field
          label="Connection"
          hint={`Of those that have no pool yet: a connection has one at most.`}
          fault={faults.fields.get("connectionId")}
        >
          <select value={connectionId} onChange={({ target }) => setConnectionId(target.value)}>
            <option value="" disabled>
              Choose an account to share
            </option>
            {chosen !== undefined && chosen !== "" && (
              <option value={chosen}>{shortName(chosen)} (has a pool now)</option>
            )}
            {free.map(({ id, provider }) => (
              <option key={id} value={id}>
                {shortName(id)} ({shortName(provider)})
              </option>
            ))}
          </select>
        </Field>
        <Field label="Name" fault={faults.fields.get("name")}>
          <input
            value={name}
            autoComplete="off"
            dir="auto"
            onChange={({ target }) => setTypedName(target.value)}
          />
        </Field>
        <AllocationsEditor draft={draft} faults={faults} keys={keys} isWhole={false} dispatch={dispatch} />
        <UnallocatedChoice
          value={draft.unallocated}
          onChange={(unallocated) => dispatch({ kind: "fields", fields: { unallocated } })}
        />
      </div>
    </Modal>
  );
}

function NothingToShare({
  hasConnections,
  onClose,
}: {
  readonly hasConnections: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Modal title={TITLE} onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <EmptyState
        title={hasConnections ? "Every connection has a pool" : "There is no account to share yet"}
        action={<Link href="/dashboard/connections">To the connections</Link>}
      >
        {hasConnections
          ? "A connection has one pool at most. Edit the one it has, or add another connection."
          : "A pool shares one provider account. Add it as a connection first, then come back."}
      </EmptyState>
    </Modal>
  );
}

/** An option cannot be cut by style. */
function shortName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
