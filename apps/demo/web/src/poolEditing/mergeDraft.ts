import type { PoolJson } from "@quota/http";
import { emptyRow, poolDraft, type PoolDraft, type RowDraft } from "./poolDraft.js";
import { ROW_FIELDS } from "./sameDraft.js";

/**
 * An edit that was made on one version of a pool, put on top of another: whatever was typed stays as it was typed, and everything else is
 * as the pool is now. A key that was edited here and taken out there is in the pool again.
 */
export function mergeDraft({
  base,
  theirs,
  draft,
}: {
  /** The pool that the edit began with. */
  readonly base: PoolJson;
  /** The pool as it is now. */
  readonly theirs: PoolJson;
  readonly draft: PoolDraft;
}): PoolDraft {
  const was = poolDraft(base);
  const now = poolDraft(theirs);
  const wasRows = byKey(was.rows);
  const nowRows = byKey(now.rows);
  const listed = new Set(draft.rows.map(({ apiKeyId }) => apiKeyId));
  return {
    name: draft.name === was.name ? now.name : draft.name,
    unallocated: draft.unallocated === was.unallocated ? now.unallocated : draft.unallocated,
    threshold: draft.threshold === was.threshold ? now.threshold : draft.threshold,
    lending: now.lending,
    isEqual: draft.isEqual,
    rows: [
      ...draft.rows.map((row) => {
        const { apiKeyId } = row;
        return mergedRow(row, wasRows.get(apiKeyId) ?? emptyRow(apiKeyId), nowRows.get(apiKeyId));
      }),
      ...now.rows.filter(({ apiKeyId }) => !listed.has(apiKeyId)),
    ],
  };
}

function mergedRow(mine: RowDraft, was: RowDraft, now = emptyRow(mine.apiKeyId)): RowDraft {
  const typed = ROW_FIELDS.filter((field) => mine[field] !== was[field]);
  if (typed.length === 0) return now;
  const kept = Object.fromEntries(typed.map((field) => [field, mine[field]])) as Partial<RowDraft>;
  // Three fields are one cap: half of one person's and half of another's would be nobody's.
  const isCapTyped = typed.some((field) => field.startsWith("cap"));
  const { capValue, capUnit, capWindow, lends, lendingLimit } = mine;
  // As are whether it lends, and how much.
  const isLendingTyped = typed.some((field) => field.startsWith("lend"));
  return {
    ...now,
    ...kept,
    ...(isCapTyped && { capValue, capUnit, capWindow }),
    ...(isLendingTyped && { lends, lendingLimit }),
    isIn: mine.isIn,
  };
}

function byKey(rows: readonly RowDraft[]): ReadonlyMap<string, RowDraft> {
  return new Map(rows.map((row) => [row.apiKeyId, row]));
}
