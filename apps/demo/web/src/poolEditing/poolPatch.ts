import type { AllocationSpec, Unallocated } from "@quota/core";
import type { PoolJson } from "@quota/http";
import { draftSpec } from "./draftSpec.js";
import { poolDraft, type PoolDraft } from "./poolDraft.js";
import { sameRows } from "./sameDraft.js";

/** What `PATCH /api/quota/pools/:id` is sent: what is left out stays, `null` takes away. */
export interface PoolPatch {
  readonly name?: string;
  readonly unallocated?: Unallocated;
  readonly saturationThreshold?: number | null;
  readonly allocations?: readonly AllocationSpec[];
}

/** The change of a pool that a draft asks for: only what was really changed, so that nothing else is written back. */
export function poolPatch(pool: PoolJson, draft: PoolDraft): PoolPatch {
  const was = poolDraft(pool);
  const { name, unallocated, saturationThreshold = null, allocations } = draftSpec(pool.connectionId, draft);
  return {
    ...(draft.name !== was.name && { name }),
    ...(draft.unallocated !== was.unallocated && { unallocated: unallocated! }),
    ...(draft.threshold !== was.threshold && { saturationThreshold }),
    ...(!sameRows(
      draft.rows.filter(({ isIn }) => isIn),
      was.rows,
    ) && { allocations }),
  };
}
