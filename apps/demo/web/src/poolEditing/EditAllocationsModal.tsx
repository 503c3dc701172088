import type { PoolJson } from "@quota/http";
import { useState } from "react";
import { isStale, RequestFailure } from "../api/request.js";
import { useKeys } from "../api/useKeys.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { lendingRule } from "../ui/lendingText.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { AllocationsEditor } from "./AllocationsEditor.js";
import { mergeDraft } from "./mergeDraft.js";
import { poolDraft } from "./poolDraft.js";
import { PoolFormFault } from "./PoolFormFault.js";
import { poolPatch } from "./poolPatch.js";
import { sameDraft } from "./sameDraft.js";
import { StaleEdit } from "./StaleEdit.js";
import { UnallocatedChoice } from "./UnallocatedChoice.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { usePoolChanges } from "./usePoolChanges.js";
import { usePoolForm } from "./usePoolForm.js";
import styles from "./PoolForm.module.css";

/** Changes a pool: who shares it, how, and by which rules. What somebody else changes meanwhile is shown, and never overwritten unseen. */
export function EditAllocationsModal({
  pool,
  onClose,
}: {
  readonly pool: PoolJson;
  readonly onClose: () => void;
}) {
  // The page reads the pool anew while it is edited; an edit stays one of what it began with.
  const [base, setBase] = useState(pool);
  const { data: keys } = useKeys();
  const { draft, dispatch, faults, box, attempt, refuse } = usePoolForm(() => poolDraft(pool), {
    connectionId: base.connectionId,
    keys,
  });
  const { change } = usePoolChanges();
  const isDirty = !sameDraft(draft, poolDraft(base));
  const { close, question } = useDiscardQuestion(isDirty, onClose);
  const theirs = isStale(change.error) ? (change.error.problem.members?.pool as PoolJson) : undefined;

  const save = (): void => {
    if (theirs !== undefined || !attempt()) return;
    const patch = poolPatch(base, draft);
    if (Object.keys(patch).length === 0) return onClose();
    change.mutate({ pool: base, patch }, { onSuccess: onClose, onError: refuse });
  };
  const goOnFrom = (current: PoolJson, kept: boolean): void => {
    const next = kept ? mergeDraft({ base, theirs: current, draft }) : poolDraft(current);
    setBase(current);
    dispatch({ kind: "all", draft: next });
    if (keys !== undefined) dispatch({ kind: "keys", apiKeyIds: keys.map(({ id }) => id) });
    change.reset();
  };
  return (
    <Modal
      title="Edit the pool"
      about={
        <>
          <Name>{base.name}</Name> shares <Name>{base.connectionId}</Name>.
        </>
      }
      onClose={close}
      onSubmit={save}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending} disabled={theirs !== undefined}>
              Save
            </Button>
          </>
        )
      }
    >
      <div className={styles.form} ref={box}>
        {theirs !== undefined ? (
          <StaleEdit
            base={base}
            theirs={theirs}
            draft={draft}
            onKeep={() => goOnFrom(theirs, true)}
            onTake={() => goOnFrom(theirs, false)}
          />
        ) : (
          <PoolFormFault error={isGone(change.error) ? GONE : change.error} faults={faults} />
        )}
        <Field label="Name" fault={faults.fields.get("name")}>
          <input
            value={draft.name}
            autoComplete="off"
            dir="auto"
            onChange={({ target }) => dispatch({ kind: "fields", fields: { name: target.value } })}
          />
        </Field>
        <AllocationsEditor draft={draft} faults={faults} keys={keys} isWhole dispatch={dispatch} />
        <div className={styles.pair}>
          <UnallocatedChoice
            value={draft.unallocated}
            onChange={(unallocated) => dispatch({ kind: "fields", fields: { unallocated } })}
          />
          <Field
            label="Shares bind from, in percent of a limit"
            hint={
              lendingRule(draft.lending) === "threshold"
                ? "Below it, keys may borrow what others leave idle. Empty: as the settings of the gateway say."
                : "Means something under the threshold rule alone, by which this pool does not lend now."
            }
            fault={faults.fields.get("saturationThreshold")}
          >
            <input
              inputMode="decimal"
              autoComplete="off"
              placeholder="as the gateway"
              value={draft.threshold}
              onChange={({ target }) => dispatch({ kind: "fields", fields: { threshold: target.value } })}
            />
          </Field>
        </div>
      </div>
    </Modal>
  );
}

function isGone(error: unknown): boolean {
  return error instanceof RequestFailure && error.problem.status === 404;
}

const GONE = new Error(
  "Somebody deleted this pool while you were editing. Nothing was saved; to have it again, make a new pool of its connection.",
);
