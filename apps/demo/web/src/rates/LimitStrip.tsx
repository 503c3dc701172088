import type { Edit } from "../api/useEdit.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Name } from "../ui/Name.js";
import { StaleNotice } from "../ui/StaleNotice.js";
import type { LimitFields } from "./limitFields.js";
import { LIMIT_WORDS } from "./limitWords.js";
import { parseLimit } from "./parseLimit.js";
import styles from "./rates.module.css";

/** Below a line in which something is typed: what it would mean, and the ways out. */
export function LimitStrip({ edit, name }: { readonly edit: Edit<LimitFields>; readonly name: string }) {
  const { draft, isTyped, isSaving, error, changed, save, discard } = edit;
  const limits = [parseLimit(draft.rpm), parseLimit(draft.tpm)];
  const isFaulty = limits.includes(undefined);
  return (
    <tr role="row">
      <td role="gridcell" colSpan={10} className={styles.strip}>
        <div className={styles.stripBody}>
          <div className={styles.stripWords}>
            {isFaulty && (
              <p className={styles.fault} role="alert">
                {LIMIT_WORDS.fault}
              </p>
            )}
            {limits.includes(0) && (
              <p>
                0 refuses everything: no request of <Name>{name}</Name> will get through.
              </p>
            )}
            {!isFaulty && !limits.includes(0) && changed === undefined && (
              <p>Enter saves, Escape forgets. In force as soon as it is saved.</p>
            )}
            {changed !== undefined && <StaleNotice changed={changed} labels={LIMIT_WORDS} />}
            <FormFault error={error} />
          </div>
          <div className={styles.stripActions}>
            <Button look="quiet" onClick={discard}>
              Discard
            </Button>
            <Button look="primary" busy={isSaving} disabled={!isTyped || isFaulty} onClick={save}>
              {changed === undefined ? "Save" : "Save over theirs"}
            </Button>
          </div>
        </div>
      </td>
    </tr>
  );
}
