import type { Dimension, WhenStoreFails } from "@quota/core";
import { budgetPart } from "./outageBudget.js";

/**
 * How far past a limit all processes together can be taken while the store is away, by what they let pass as estimated; in grains. What a
 * request takes above its estimate, and settlements whose replies were lost, come on top, as they do at any time.
 * - `allow`: without end. `deny`: 0.
 * - `last-known`: each process may know of nobody's use, and grant the limit once: all processes' limits, on a pool that was full.
 * - a budget: that part of the limit, since each process has its share of it.
 *
 * @returns `"unknown"` where the limit is.
 */
export function worstCaseOvershoot(
  dimension: Pick<Dimension, "limit">,
  { whenStoreFails, replicas }: { readonly whenStoreFails: WhenStoreFails; readonly replicas: number },
): number | "unlimited" | "unknown" {
  if (dimension.limit === "unknown") return "unknown";
  switch (whenStoreFails) {
    case "allow":
      return "unlimited";
    case "deny":
      return 0;
    case "last-known":
      return replicas * dimension.limit;
    default:
      return replicas * (budgetPart(dimension, whenStoreFails.budget / replicas) ?? 0);
  }
}
