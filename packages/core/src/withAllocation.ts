import type { Allocation, AllocationSpec } from "./allocation.js";
import { allocationSpec } from "./allocationSpec.js";
import { rebalance } from "./rebalance.js";

/** `proportional`: the others are scaled (see {@link rebalance}). Undefined: they stay as they are. */
export type Rebalance = "proportional" | undefined;

/**
 * A pool's allocations once a newcomer has joined, as one writes them. `proportional`: the others make room, so that the weights sum to
 * what they summed to before, or to the newcomer's, where that alone is more. What is wrong with the newcomer is for `parsePoolTerms` to say.
 *
 * @example
 * const { allocations } = pool; // bob has 30
 * withAllocation(allocations, { apiKeyId: "dora", weight: 10 }, "proportional")[0]; // { apiKeyId: "bob", weight: 20 }
 */
export function withAllocation(
  allocations: ReadonlyMap<string, Allocation>,
  newcomer: AllocationSpec,
  how?: Rebalance,
): readonly AllocationSpec[] {
  const others = [...allocations.values()].map(allocationSpec);
  const { weight } = newcomer as { readonly weight: unknown };
  const canScale = how === "proportional" && typeof weight === "number" && weight >= 0 && weight <= 100;
  const before = sumOf(others);
  return [...(canScale && before > 0 ? scaled(others, Math.max(0, before - weight)) : others), newcomer];
}

/**
 * A pool's allocations once a key has left, as one writes them. `proportional`: the others take over its weight, each in proportion.
 *
 * @example
 * const { allocations } = pool; // bob has 30
 * withoutAllocation(allocations, "bob"); // []
 */
export function withoutAllocation(
  allocations: ReadonlyMap<string, Allocation>,
  apiKeyId: string,
  how?: Rebalance,
): readonly AllocationSpec[] {
  const all = [...allocations.values()].map(allocationSpec);
  const others = all.filter((allocation) => allocation.apiKeyId !== apiKeyId);
  return how === "proportional" ? scaled(others, sumOf(all)) : others;
}

function scaled(allocations: readonly AllocationSpec[], total: number): readonly AllocationSpec[] {
  const weights = rebalance(new Map(allocations.map(({ apiKeyId, weight }) => [apiKeyId, weight])), total);
  return allocations.map((allocation) => ({ ...allocation, weight: weights.get(allocation.apiKeyId)! }));
}

/** Weights may sum to a hair more than 100, which is nothing that one can ask for. */
function sumOf(allocations: readonly AllocationSpec[]): number {
  return Math.min(
    100,
    allocations.reduce((sum, { weight }) => sum + weight, 0),
  );
}
