import { equalSplit } from "./equalSplit.js";
import { emptyRow, type PoolDraft, type RowDraft } from "./poolDraft.js";
import { weightSum } from "./weightSum.js";

/** What one can do to a draft. */
export type DraftChange =
  | { readonly kind: "fields"; readonly fields: Partial<Omit<PoolDraft, "rows" | "isEqual">> }
  | { readonly kind: "row"; readonly apiKeyId: string; readonly fields: Partial<RowDraft> }
  | { readonly kind: "tick"; readonly apiKeyIds: ReadonlySet<string>; readonly isIn: boolean }
  | { readonly kind: "equal" }
  /** Keys that there are; those that the draft does not have come after its own. */
  | { readonly kind: "keys"; readonly apiKeyIds: readonly string[] }
  | { readonly kind: "all"; readonly draft: PoolDraft };

/** A draft after a change. Rows that nothing happened to stay the same objects. */
export function changeDraft(draft: PoolDraft, change: DraftChange): PoolDraft {
  switch (change.kind) {
    case "fields":
      return { ...draft, ...change.fields };
    case "row": {
      const { apiKeyId, fields } = change;
      const rows = draft.rows.map((row) => (row.apiKeyId === apiKeyId ? { ...row, ...fields } : row));
      return { ...draft, rows, isEqual: draft.isEqual && fields.weight === undefined };
    }
    case "tick":
      return ticked(draft, change.apiKeyIds, change.isIn);
    case "equal":
      return split({ ...draft, isEqual: true });
    case "keys": {
      const known = new Set(draft.rows.map(({ apiKeyId }) => apiKeyId));
      const strange = change.apiKeyIds.filter((id) => !known.has(id));
      return strange.length === 0 ? draft : { ...draft, rows: [...draft.rows, ...strange.map(emptyRow)] };
    }
    case "all":
      return change.draft;
  }
}

/** Keys come in and go. While nobody has typed a weight all stay equal; afterwards the first newcomer gets what is left. */
function ticked(draft: PoolDraft, apiKeyIds: ReadonlySet<string>, isIn: boolean): PoolDraft {
  let rest = weightSum(draft).unallocated;
  const rows = draft.rows.map((row) => {
    if (!apiKeyIds.has(row.apiKeyId) || row.isIn === isIn) return row;
    if (!isIn || row.weight !== "") return { ...row, isIn };
    const weight = String(Math.floor(rest * 100 + 1e-6) / 100);
    rest = 0;
    return { ...row, isIn, weight };
  });
  return draft.isEqual ? split({ ...draft, rows }) : { ...draft, rows };
}

function split(draft: PoolDraft): PoolDraft {
  const weight = equalSplit(draft.rows.filter(({ isIn }) => isIn).length);
  const rows = draft.rows.map((row) => (row.isIn && row.weight !== weight ? { ...row, weight } : row));
  return { ...draft, rows };
}
