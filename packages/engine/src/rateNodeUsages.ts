import type { RateLine, RateSheet } from "@quota/core";
import type { RateDimensionUsage, RateNodeUsage } from "./rateAdmission.js";

/** What each node of a sheet has used, holds for others and has left, in the sheet's order. */
export function rateNodeUsages(sheet: RateSheet, amounts: readonly number[]): readonly RateNodeUsage[] {
  return sheet.rpm.map((line, i) => ({
    id: line.node.id,
    kind: line.node.kind,
    requests: usageOf(line, amounts),
    tokens: usageOf(sheet.tpm[i]!, amounts),
  }));
}

function usageOf({ used, fixed }: RateLine, amounts: readonly number[]): RateDimensionUsage {
  const use = amounts[used]!;
  if (fixed === undefined) return { limit: "unlimited", used: use, heldForChildren: 0, left: "unlimited" };
  const { limit, limitsBelow, given } = fixed;
  const taken = amounts[given]! + limitsBelow;
  return { limit, used: use, heldForChildren: taken - use, left: Math.max(0, limit - taken) };
}
