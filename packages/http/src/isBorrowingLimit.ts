import type { DimensionDecision } from "@quota/core";

/**
 * Whether a dimension refuses for the borrowing limit of the key alone. Its reason is then the one that the lending rule gives, though the rule
 * itself would have let the request pass.
 */
export function isBorrowingLimit({ refusal, lending, mode, cost, reserve }: DimensionDecision): boolean {
  if (refusal === "reserved")
    return reserve !== undefined && Math.max(0, cost - reserve.own) <= reserve.spare;
  return refusal === "fair-share" && (lending === "threshold" || lending === "open") && mode === "generous";
}
