import type { PlantedForest } from "./rateForest.js";
import { rateNodeId, type RateKind } from "./rateNodeId.js";
import { rateWarnings, type RateWarning } from "./rateWarnings.js";

/** What is to be said of all limits of the tree, once each. */
export function forestWarnings(forest: PlantedForest): readonly RateWarning[] {
  const warned = new Set(forest.warnings.flatMap(({ nodeId }) => nodeId ?? []));
  return [...warned].flatMap((nodeId) =>
    rateWarnings(forest, nodeId).filter(({ kind, id }) => rateNodeId(kind as RateKind, id) === nodeId),
  );
}
