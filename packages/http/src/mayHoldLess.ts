import type { DimensionDecision } from "@quota/core";

/**
 * Whether the room that a decision knows of may be less than there is: as long as a key is not refused, nobody looks how much of what was held for
 * others may be lent by now.
 *
 * @param taken what of the dimension's numbers is to be counted as used already, in grains.
 */
export function mayHoldLess(
  { reserve, limit, total, outside, cap, used }: DimensionDecision,
  taken: number,
): boolean {
  if (reserve === undefined || reserve.isExact || limit === "unknown") return false;
  return total + outside + taken < limit && used + taken < (cap ?? Infinity);
}
