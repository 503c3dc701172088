import type { Policy, Unallocated, Unit, WindowName } from "@quota/core";
import type { AllocationJson, PoolJson } from "@quota/http";

/** A pool while it is edited: numbers as they were typed, so that nothing typed is lost, however wrong. */
export interface PoolDraft {
  readonly name: string;
  readonly unallocated: Unallocated;
  /** In percent; empty for the gateway's own. */
  readonly threshold: string;
  /** Nobody has typed a weight yet: they follow the number of keys. */
  readonly isEqual: boolean;
  /** Every key there is, those that are in the pool and the others. */
  readonly rows: readonly RowDraft[];
}

/** A key and its allocation. What was typed stays when the key is taken out, and is there again when it is put back. */
export interface RowDraft {
  readonly apiKeyId: string;
  readonly isIn: boolean;
  readonly weight: string;
  readonly policy: Policy;
  /** Empty: no cap. */
  readonly capValue: string;
  readonly capUnit: Unit;
  readonly capWindow: WindowName | "every";
}

/** A pool as one begins to edit it. */
export function poolDraft(pool: PoolJson): PoolDraft {
  const { name, unallocated, saturationThreshold: threshold } = pool;
  return {
    name,
    unallocated,
    // 0.57 × 100 is 56.99999999999999.
    threshold: threshold === undefined ? "" : String(Number((threshold * 100).toPrecision(12))),
    isEqual: false,
    rows: pool.allocations.map(rowDraft),
  };
}

/** A key that has no allocation. */
export function emptyRow(apiKeyId: string): RowDraft {
  return {
    apiKeyId,
    isIn: false,
    weight: "",
    policy: "hard",
    capValue: "",
    capUnit: "requests",
    capWindow: "every",
  };
}

function rowDraft({ apiKeyId, weight, policy, capValue, capUnit, capWindow }: AllocationJson): RowDraft {
  return {
    apiKeyId,
    isIn: true,
    weight: String(weight),
    policy,
    capValue: capValue === undefined ? "" : String(capValue),
    capUnit: capUnit ?? "requests",
    capWindow: capWindow ?? "every",
  };
}
