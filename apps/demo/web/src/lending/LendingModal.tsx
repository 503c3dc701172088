import { isSameLending } from "@quota/core";
import type { PoolJson } from "@quota/http";
import { useId, useState } from "react";
import { poolPath } from "../api/poolPath.js";
import { useEdit } from "../api/useEdit.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { KeyName } from "../ui/KeyName.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import {
  brokenPromises,
  draftLending,
  lendingDraft,
  lendingPatch,
  NO_SHADOW,
  type LendingDraft,
} from "./lendingDraft.js";
import styles from "./LendingModal.module.css";
import { LendingPreview } from "./LendingPreview.js";
import { RuleFields } from "./RuleFields.js";
import { ShadowFields } from "./ShadowFields.js";
import { StaleLending } from "./StaleLending.js";

/** Changes how a pool lends: who gains and who loses stands there before it is saved. */
export function LendingModal({ pool, onClose }: { readonly pool: PoolJson; readonly onClose: () => void }) {
  // What somebody else changes is told against what was there when this opened.
  const [begun] = useState(pool);
  const { thing, draft, set, isTyped, save, isSaving, error, changed } = useEdit<PoolJson, LendingDraft>({
    thing: begun,
    path: poolPath(pool.id),
    member: "pool",
    fieldsOf: lendingDraft,
    changeOf: lendingPatch,
    onSaved: onClose,
  });
  const { close, question } = useDiscardQuestion(isTyped, onClose);
  const rule = draftLending(draft, "rule");
  const shadow = draftLending(draft, "shadow");
  const own = draftLending(lendingDraft(thing), "rule");
  const isOther = rule !== undefined && own !== undefined && !isSameLending(rule, own);
  const broken = brokenPromises(draft, thing);
  const isWhole = rule !== undefined && (shadow !== undefined || draft.shadow === NO_SHADOW);
  return (
    <Modal
      title="How this pool lends"
      about={<Name>{thing.name}</Name>}
      onClose={close}
      onSubmit={save}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              type="submit"
              look="primary"
              busy={isSaving}
              disabled={!isTyped || !isWhole || (broken.length > 0 && draft.isDropping === "")}
            >
              {changed === undefined ? "Save" : "Save over theirs"}
            </Button>
          </>
        )
      }
    >
      {changed !== undefined && <StaleLending before={begun} now={thing} draft={draft} />}
      <RuleFields
        rule={draft.rule}
        onRule={(to) => set("rule", to)}
        curve={draft.curve}
        hold={draft.hold}
        lending={rule}
        onCurve={(to) => set("curve", to)}
        onHold={(to) => set("hold", to)}
      />
      {broken.length > 0 && (
        <Dropping
          keys={broken}
          isDropping={draft.isDropping !== ""}
          onChange={(is) => set("isDropping", is ? "yes" : "")}
        />
      )}
      {isOther && rule.rule === "reserve" && own.rule !== "reserve" && (
        <p className={styles.note}>
          A window that rolls becomes a fixed one, laid on the epoch, and starts with what is used now. It
          rolls again when the pool gets another rule.
        </p>
      )}
      {isOther && rule.rule !== "reserve" && own.rule === "reserve" && (
        <p className={styles.note}>
          What is reserved now is given up. Windows that were laid on the epoch for it roll again.
        </p>
      )}
      {isOther ? (
        <LendingPreview poolId={pool.id} lending={rule} />
      ) : (
        <p className={styles.about}>Choose another rule to see who would gain by it, and who would lose.</p>
      )}
      <ShadowFields
        shadow={draft.shadow}
        rule={rule}
        onShadow={(to) => set("shadow", to)}
        curve={draft.shadowCurve}
        hold={draft.shadowHold}
        lending={shadow}
        onCurve={(to) => set("shadowCurve", to)}
        onHold={(to) => set("shadowHold", to)}
      />
      <FormFault error={error} />
    </Modal>
  );
}

/** That the rule cannot keep what keys were promised, and whether that is to go with it. */
function Dropping({
  keys,
  isDropping,
  onChange,
}: {
  readonly keys: readonly string[];
  readonly isDropping: boolean;
  readonly onChange: (isDropping: boolean) => void;
}) {
  const id = useId();
  return (
    <div className={styles.note} role="group" aria-labelledby={id}>
      <p id={id}>This rule holds nothing back, so it cannot keep what was promised to</p>
      <ul className={styles.keys}>
        {keys.slice(0, FEW).map((key) => (
          <li key={key}>
            <KeyName id={key} />
          </li>
        ))}
        {keys.length > FEW && <li>and {keys.length - FEW} more</li>}
      </ul>
      <label className={styles.tick}>
        <input type="checkbox" checked={isDropping} onChange={({ target }) => onChange(target.checked)} />
        They lend like all others from now on
      </label>
    </div>
  );
}

const FEW = 8;
