import { ratePathFrom } from "@quota/core";
import type { PlantedForest } from "./rateForest.js";

/** A limit that is smaller than what the limits below it add up to: legal, but under load those get less than they say. */
export interface RateWarning {
  readonly kind: string;
  readonly id: string;
  readonly dimension: "rpm" | "tpm";
  readonly limit: number;
  readonly limitsBelow: number;
  readonly message: string;
}

/** What is to be said of a node's limits and of those above it. */
export function rateWarnings({ plan, warnings, idOf }: PlantedForest, nodeId: string): RateWarning[] {
  if (!plan.nodes.has(nodeId)) return [];
  const told: RateWarning[] = [];
  for (const node of ratePathFrom(plan, nodeId))
    for (const dimension of ["rpm", "tpm"] as const) {
      const limit = node[dimension];
      const warned = warnings.some((each) => each.nodeId === node.id && each.field === dimension);
      if (limit === undefined || !warned) continue;
      const id = idOf.get(node.id)!;
      told.push({
        kind: node.kind,
        id,
        dimension,
        limit: limit.limit,
        limitsBelow: limit.limitsBelow,
        message:
          `The ${node.kind} ${JSON.stringify(id)} has ${dimension} ${String(limit.limit)}, but the limits next below it add up to ` +
          `${String(limit.limitsBelow)}: under load they get less than they say; raise it to ${String(limit.limitsBelow)}, or lower those.`,
      });
    }
  return told;
}
