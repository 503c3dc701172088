import type { FieldFaults, RowFaults } from "./fieldFaults.js";
import type { PoolDraft, RowDraft } from "./poolDraft.js";

/** A draft that the gateway did not take, and why. */
export interface RefusedDraft {
  readonly draft: PoolDraft;
  readonly connectionId: string;
  readonly faults: FieldFaults;
}

/**
 * Which faults are said while one types. What the form finds itself is said of a field that is still empty only once somebody has tried to
 * save; what the gateway found is said until the field is another.
 */
export function shownFaults({
  draft,
  connectionId,
  found,
  isTried,
  refused,
}: {
  readonly draft: PoolDraft;
  readonly connectionId: string;
  readonly found: FieldFaults;
  readonly isTried: boolean;
  readonly refused: RefusedDraft | undefined;
}): FieldFaults {
  const filled: Readonly<Record<string, boolean>> = {
    name: draft.name !== "",
    connectionId: connectionId !== "",
  };
  const fields = new Map([...found.fields].filter(([field]) => isTried || filled[field] !== false));
  const rows = new Map<string, RowFaults>();
  const row = byKey(draft);
  for (const [apiKeyId, faults] of found.rows) {
    const isEmpty = row.get(apiKeyId)?.weight.trim() === "";
    const said =
      isEmpty && !isTried
        ? Object.fromEntries(Object.entries(faults).filter(([field]) => field !== "weight"))
        : faults;
    if (Object.keys(said).length > 0) rows.set(apiKeyId, said);
  }
  if (refused !== undefined) {
    const before = byKey(refused.draft);
    for (const [field, message] of refused.faults.fields)
      if (!fields.has(field) && isStillSo(field, { draft, connectionId }, refused))
        fields.set(field, message);
    for (const [apiKeyId, faults] of refused.faults.rows)
      if (row.get(apiKeyId) === before.get(apiKeyId))
        rows.set(apiKeyId, { ...faults, ...rows.get(apiKeyId) });
  }
  return { fields, rows, elsewhere: refused?.faults.elsewhere ?? [] };
}

function isStillSo(
  field: string,
  now: Pick<RefusedDraft, "draft" | "connectionId">,
  then: Pick<RefusedDraft, "draft" | "connectionId">,
): boolean {
  if (field === "connectionId") return now.connectionId === then.connectionId;
  if (field === "name") return now.draft.name === then.draft.name;
  if (field === "unallocated") return now.draft.unallocated === then.draft.unallocated;
  if (field === "saturationThreshold") return now.draft.threshold === then.draft.threshold;
  return now.draft.rows === then.draft.rows;
}

function byKey({ rows }: PoolDraft): ReadonlyMap<string, RowDraft> {
  return new Map(rows.map((row) => [row.apiKeyId, row]));
}
