import { governPool, type Dimension, type GovernedPool, type Plan, type PoolUsage } from "@quota/core";
import { StoreError } from "@quota/engine";
import { planChangeJson, type PlanChangeJson } from "@quota/http";
import type { AdminParts } from "./adminParts.js";

/**
 * What it would change to store these dimensions for a connection, or none: the shares before and after, as enforcement computes them, beside what is
 * used now, and the plan as it is. While the store does not answer, only what is used is missing. Nothing is written.
 */
export async function previewPlan(
  asked: { readonly connectionId: string; readonly override: readonly Dimension[] | undefined },
  { engine, pools, planBook }: Pick<AdminParts, "engine" | "pools" | "planBook">,
): Promise<{ readonly before: Plan; readonly change: PlanChangeJson }> {
  const { connectionId, override } = asked;
  const before = await planBook.planOf(connectionId);
  const after = await planBook.planWith(connectionId, override);
  const pool = await pools.ofConnection(connectionId);
  if (pool === undefined) return { before, change: planChangeJson({ before, after }) };
  const usage = await usageIfAny();
  const shared = { before: governed(before), after: governed(after), usage };
  return { before, change: planChangeJson({ before, after, shared }) };

  function governed(plan: Plan): GovernedPool {
    return governPool({ pool: pool!, plan: withSeenLimits(plan, usage) });
  }

  async function usageIfAny(): Promise<PoolUsage | undefined> {
    try {
      return await engine.usage(pool!.id);
    } catch (error) {
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  }
}

/** A limit that the plan does not know is the provider's, where a reading carried one. */
function withSeenLimits(plan: Plan, usage: PoolUsage | undefined): Plan {
  const seen = usage?.dimensions.filter(({ limitFrom }) => limitFrom === "reading") ?? [];
  const dimensions = plan.dimensions.map((dimension) => {
    const found = seen.find((each) => each.dimension.name === dimension.name);
    if (dimension.limit !== "unknown" || found === undefined) return dimension;
    return { ...dimension, limit: found.dimension.limit };
  });
  return { ...plan, dimensions };
}
