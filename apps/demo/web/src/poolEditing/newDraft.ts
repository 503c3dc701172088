import { changeDraft } from "./changeDraft.js";
import { emptyRow, type PoolDraft } from "./poolDraft.js";

/**
 * A new pool's draft. A handful of keys are all in it, with equal weights: that is what a newcomer wants. Of many keys few share one account,
 * so none is in it until it is ticked. Disabled keys never are.
 */
export function newDraft(keys: readonly { readonly id: string; readonly disabled: boolean }[]): PoolDraft {
  const areIn = keys.length <= HANDFUL;
  const rows = keys.map(({ id, disabled }) => ({ ...emptyRow(id), isIn: areIn && !disabled }));
  return changeDraft(
    { name: "", unallocated: "borrow", threshold: "", lending: "threshold", isEqual: true, rows },
    { kind: "equal" },
  );
}

const HANDFUL = 12;
