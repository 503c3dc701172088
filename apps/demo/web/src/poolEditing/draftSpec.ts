import type { AllocationSpec, PoolSpec } from "@quota/core";
import { parseDecimal } from "./parseDecimal.js";
import type { PoolDraft, RowDraft } from "./poolDraft.js";

/**
 * What a draft asks the gateway for. Where a number was to be typed and something else was, that text is in its place, for
 * `parsePoolTerms` (or the gateway) to complain about.
 */
export function draftSpec(connectionId: string, draft: PoolDraft): PoolSpec {
  const threshold = thresholdOf(draft.threshold);
  return {
    connectionId,
    name: draft.name,
    unallocated: draft.unallocated,
    ...(threshold !== undefined && { saturationThreshold: threshold }),
    lending: draft.lending,
    allocations: draft.rows.filter(({ isIn }) => isIn).map(rowSpec),
  };
}

/** A threshold that was typed in percent, as the gateway takes it; undefined for none. */
function thresholdOf(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  const percent = parseDecimal(text);
  return percent === undefined ? (text as unknown as number) : percent / 100;
}

function rowSpec(row: RowDraft): AllocationSpec {
  const { apiKeyId, weight, policy, capValue, capUnit, capWindow, lends, lendingLimit, borrowingLimit } = row;
  return {
    apiKeyId,
    weight: numberOf(weight),
    policy,
    ...(capValue.trim() !== "" && {
      capValue: numberOf(capValue),
      capUnit,
      ...(capWindow !== "every" && { capWindow }),
    }),
    ...(!lends && { lend: false }),
    ...(lends && lendingLimit.trim() !== "" && { lendingLimit: numberOf(lendingLimit) }),
    ...(borrowingLimit.trim() !== "" && { borrowingLimit: numberOf(borrowingLimit) }),
  };
}

function numberOf(text: string): number {
  return parseDecimal(text) ?? (text as unknown as number);
}
