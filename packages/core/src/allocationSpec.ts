import type { Allocation, AllocationSpec } from "./allocation.js";
import { fromGrains } from "./grains.js";

/** Writes a parsed allocation the way people do, its policy said, amounts in units. */
export function allocationSpec({
  apiKeyId,
  weight,
  policy,
  cap,
  lendingLimit,
  borrowingLimit,
}: Allocation): AllocationSpec & Required<Pick<AllocationSpec, "policy">> {
  return {
    apiKeyId,
    weight,
    policy,
    ...(cap && {
      capValue: fromGrains(cap.unit, cap.value),
      capUnit: cap.unit,
      ...(cap.window !== "every" && { capWindow: cap.window }),
    }),
    ...(lendingLimit === 0 && { lend: false }),
    ...(lendingLimit !== undefined && lendingLimit > 0 && { lendingLimit }),
    ...(borrowingLimit !== undefined && { borrowingLimit }),
  };
}
