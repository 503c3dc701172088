import { plantRatePlan, type RatePlanNode } from "./ratePlan.js";
import type { RatePlanFault, RatePlanNodeInput } from "./readRatePlan.js";

/** One limit, or pair of limits, that stands by itself. */
export type RateScopeInput = Omit<RatePlanNodeInput, "parent">;

export type PlantedRateScopes =
  | { readonly ok: true; readonly scopes: readonly RatePlanNode[] }
  | { readonly ok: false; readonly faults: readonly RatePlanFault[] };

/**
 * Parses scopes: limits that are asked side by side, in input order, each a root of its own. Faults are those of
 * {@link plantRatePlan}, and `scope-with-parent`.
 *
 * @example
 * const planted = plantRateScopes([
 *   { id: "key-a", kind: "key", rpm: 60 },
 *   { id: "gpt-large", kind: "model", tpm: 100_000 },
 * ]);
 * planted.ok && planted.scopes.map((scope) => scope.id); // ["key-a", "gpt-large"]
 */
export function plantRateScopes(scopes: readonly RateScopeInput[]): PlantedRateScopes {
  const planted = plantRatePlan({ nodes: scopes });
  if (!planted.ok) return planted;
  const nodes = [...planted.plan.nodes.values()];
  const faults = nodes.flatMap(({ id, parent }, i) => {
    if (parent === undefined) return [];
    const at = `nodes[${String(i)}].parent`;
    const message = `${at} of ${JSON.stringify(id)} must be left out: scopes stand side by side; give a tree to plantRatePlan.`;
    return [{ path: at, code: "scope-with-parent", nodeId: id, field: "parent" as const, message }];
  });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, scopes: Object.freeze(nodes) };
}
