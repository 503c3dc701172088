import type { LendingSpec, Policy, Unallocated, Unit, WindowName } from "@quota/core";
import type { AllocationJson, PoolJson } from "@quota/http";

/** A pool while it is edited: numbers as they were typed, so that nothing typed is lost, however wrong. */
export interface PoolDraft {
  readonly name: string;
  readonly unallocated: Unallocated;
  /** In percent; empty for the gateway's own. */
  readonly threshold: string;
  /** Chosen elsewhere; what an allocation may say depends on it. */
  readonly lending: LendingSpec;
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
  readonly lends: boolean;
  /** In percent of the pool; empty: all of its share. Means nothing while it does not lend. */
  readonly lendingLimit: string;
  /** In percent of the pool; empty: all there is. */
  readonly borrowingLimit: string;
}

/** A pool as one begins to edit it. */
export function poolDraft(pool: PoolJson): PoolDraft {
  const { name, unallocated, saturationThreshold: threshold, lending } = pool;
  return {
    name,
    unallocated,
    // 0.57 × 100 is 56.99999999999999.
    threshold: threshold === undefined ? "" : String(Number((threshold * 100).toPrecision(12))),
    lending,
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
    lends: true,
    lendingLimit: "",
    borrowingLimit: "",
  };
}

function rowDraft(allocation: AllocationJson): RowDraft {
  const { apiKeyId, weight, policy, capValue, capUnit, capWindow, lend } = allocation;
  return {
    apiKeyId,
    isIn: true,
    weight: String(weight),
    policy,
    capValue: textOf(capValue),
    capUnit: capUnit ?? "requests",
    capWindow: capWindow ?? "every",
    lends: lend ?? true,
    lendingLimit: textOf(allocation.lendingLimit),
    borrowingLimit: textOf(allocation.borrowingLimit),
  };
}

function textOf(amount: number | undefined): string {
  return amount === undefined ? "" : String(amount);
}
