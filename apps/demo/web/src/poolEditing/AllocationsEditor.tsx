import { useCallback, useId, useMemo, useState, type Dispatch } from "react";
import type { ApiKey } from "../api/useKeys.js";
import { Button } from "../ui/Button.js";
import { lendingRule } from "../ui/lendingText.js";
import { AllocationRow } from "./AllocationRow.js";
import type { DraftChange } from "./changeDraft.js";
import type { FieldFaults } from "./fieldFaults.js";
import type { PoolDraft, RowDraft } from "./poolDraft.js";
import { POLICIES, POLICY_WORDS } from "./policyWords.js";
import { weightSum } from "./weightSum.js";
import { weightText } from "./weightText.js";
import styles from "./AllocationsEditor.module.css";

export interface AllocationsEditorProps {
  readonly draft: PoolDraft;
  readonly faults: FieldFaults;
  /** Undefined while they are not known. */
  readonly keys: readonly ApiKey[] | undefined;
  readonly isWhole: boolean;
  readonly dispatch: Dispatch<DraftChange>;
}

/** Which keys share a pool, and how: one row a key, and what the weights come to. */
export function AllocationsEditor({ draft, faults, keys, isWhole, dispatch }: AllocationsEditorProps) {
  const heading = useId();
  const [wanted, setWanted] = useState("");
  const known = useMemo(() => keys && new Map(keys.map((key) => [key.id, key])), [keys]);
  const { rows } = draft;
  const shown = rows.filter(
    (row) => isWanted(row, known?.get(row.apiKeyId), wanted) || faults.rows.has(row.apiKeyId),
  );
  const isLong = rows.length > FEW;
  const rule = lendingRule(draft.lending);
  const mayHold = rule === "reserve" || rule === "static";
  const change = useCallback(
    (apiKeyId: string, { isIn, ...fields }: Partial<RowDraft>) => {
      if (isIn === undefined) dispatch({ kind: "row", apiKeyId, fields });
      else dispatch({ kind: "tick", apiKeyIds: new Set([apiKeyId]), isIn });
    },
    [dispatch],
  );
  const tickShown = (isIn: boolean): void =>
    dispatch({ kind: "tick", apiKeyIds: new Set(shown.map(({ apiKeyId }) => apiKeyId)), isIn });
  return (
    <div className={styles.editor} role="group" aria-labelledby={heading}>
      <div className={styles.head}>
        <h3 id={heading}>Keys and their weights</h3>
        <Button look="quiet" onClick={() => dispatch({ kind: "equal" })}>
          Equal split
        </Button>
      </div>
      {isWhole && (
        <div className={styles.policies}>
          When a key has used up its share and the pool is so full that shares bind, it is …
          <dl>
            {POLICIES.map((policy) => (
              <div key={policy}>
                <dt>{policy}</dt> <dd>{POLICY_WORDS[policy]}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {isLong && (
        <div className={styles.tools}>
          <input
            type="search"
            aria-label="Only keys whose name has this in it"
            placeholder="Filter keys"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
            // Enter would send the form.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
          <Button look="quiet" onClick={() => tickShown(true)}>
            Tick {wanted === "" ? "all" : "these"}
          </Button>
          <Button look="quiet" onClick={() => tickShown(false)}>
            Untick {wanted === "" ? "all" : "these"}
          </Button>
        </div>
      )}
      <ul className={`${styles.rows} ${isLong ? styles.long : ""}`}>
        {shown.map((row) => (
          <AllocationRow
            key={row.apiKeyId}
            {...faults.rows.get(row.apiKeyId)}
            row={row}
            about={known && aboutKey(row.apiKeyId, known.get(row.apiKeyId))}
            isWhole={isWhole}
            mayHold={mayHold}
            onChange={change}
          />
        ))}
      </ul>
      {rows.length === 0 && (
        <p className={styles.muted}>
          There are no keys yet. Make some under Keys; a pool can be empty meanwhile.
        </p>
      )}
      {rows.length > 0 && shown.length === 0 && (
        <p className={styles.muted}>No key has “{wanted}” in its name.</p>
      )}
      <Sum draft={draft} fault={faults.fields.get("allocations")} />
    </div>
  );
}

/** From how many keys on one filters rather than looks. */
const FEW = 12;

/** What the weights come to, as one types. */
function Sum({ draft, fault }: { readonly draft: PoolDraft; readonly fault: string | undefined }) {
  const { keys, sum, unallocated, over } = weightSum(draft);
  return (
    <div className={styles.sum} role="status">
      <span>
        {keys === 1 ? "1 key" : `${String(keys)} keys`}, <strong>{weightText(sum)}</strong> in sum
      </span>
      {over > 0 ? (
        <span className={styles.over}>
          ▲ {weightText(over)} too much: lower the weights to {weightText(100)} or less.
        </span>
      ) : (
        <span className={styles.muted}>{restText({ keys, sum, unallocated })}</span>
      )}
      {fault !== undefined && over === 0 && <span className={styles.over}>{fault}</span>}
    </div>
  );
}

function restText({
  keys,
  sum,
  unallocated,
}: {
  readonly keys: number;
  readonly sum: number;
  readonly unallocated: number;
}): string {
  if (keys === 0) return "Tick the keys that share this account.";
  if (sum === 0) return "Every weight is 0: all share equally.";
  return unallocated === 0
    ? "Nothing unallocated"
    : `${weightText(unallocated)} unallocated: it can only be borrowed`;
}

function isWanted({ apiKeyId }: RowDraft, key: ApiKey | undefined, wanted: string): boolean {
  const text = wanted.trim().toLowerCase();
  return apiKeyId.toLowerCase().includes(text) || (key?.name.toLowerCase().includes(text) ?? false);
}

function aboutKey(apiKeyId: string, key: ApiKey | undefined): string | undefined {
  if (key === undefined) return "no such key any more";
  const said = [key.name === apiKeyId ? "" : key.name.slice(0, 60), key.disabled ? "disabled" : ""];
  return said.filter((words) => words !== "").join(", ") || undefined;
}
