import { emptyRow, type PoolDraft, type RowDraft } from "./poolDraft.js";

/** Whether two drafts say the same: a key that only one of them lists is as good as one without an allocation. */
export function sameDraft(one: PoolDraft, other: PoolDraft): boolean {
  return (
    one.name === other.name &&
    one.unallocated === other.unallocated &&
    one.threshold === other.threshold &&
    sameRows(one.rows, other.rows)
  );
}

/** {@link sameDraft} of the keys alone. */
export function sameRows(some: readonly RowDraft[], others: readonly RowDraft[]): boolean {
  const left = new Map(others.map((row) => [row.apiKeyId, row]));
  for (const row of some) {
    if (!sameRow(row, left.get(row.apiKeyId) ?? emptyRow(row.apiKeyId))) return false;
    left.delete(row.apiKeyId);
  }
  return [...left.values()].every((row) => sameRow(row, emptyRow(row.apiKeyId)));
}

function sameRow(one: RowDraft, other: RowDraft): boolean {
  return ROW_FIELDS.every((field) => one[field] === other[field]);
}

/** What one can change of a row. */
export const ROW_FIELDS = [
  "isIn",
  "weight",
  "policy",
  "capValue",
  "capUnit",
  "capWindow",
  "lends",
  "lendingLimit",
  "borrowingLimit",
] as const;
