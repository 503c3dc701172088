import type { PoolJson } from "@quota/http";
import { capText } from "../ui/capText.js";
import { parseDecimal } from "./parseDecimal.js";
import { emptyRow, poolDraft, type PoolDraft, type RowDraft } from "./poolDraft.js";
import type { PoolDifference } from "./poolDifference.js";
import { borrowingWords, lendingWords, typedLimit } from "./lendingWords.js";
import { UNALLOCATED_WORDS } from "./policyWords.js";

/** What was typed here over what somebody else has changed meanwhile, in words; undefined where nothing was. */
export function typedOver(
  { field, apiKeyId }: PoolDifference,
  base: PoolJson,
  draft: PoolDraft,
): string | undefined {
  const was = textOf(field, poolDraft(base), apiKeyId);
  const typed = textOf(field, draft, apiKeyId);
  return typed === was ? undefined : typed;
}

function textOf(
  field: PoolDifference["field"],
  draft: PoolDraft,
  apiKeyId: string | undefined,
): string | undefined {
  const row = draft.rows.find((other) => other.apiKeyId === apiKeyId) ?? emptyRow("");
  switch (field) {
    case "name":
      return draft.name;
    case "unallocated":
      return UNALLOCATED_WORDS[draft.unallocated].title;
    case "saturationThreshold":
      return draft.threshold === "" ? "as the gateway’s" : `${draft.threshold} %`;
    case "whenStoreFails":
    case "lending":
    case "shadow":
      return undefined;
    case "weight":
      return weightOf(row);
    case "policy":
      return row.policy;
    case "cap":
      return capOf(row);
    case "lends":
      return lendingWords(row.lends, typedLimit(row.lendingLimit));
    case "borrowingLimit":
      return borrowingWords(typedLimit(row.borrowingLimit));
    case "allocation":
      return row.isIn ? [weightOf(row), row.policy, capOf(row)].join(", ") : "not in the pool";
  }
}

function weightOf({ isIn, weight }: RowDraft): string {
  return isIn ? `${weight} %` : "not in the pool";
}

function capOf({ capValue, capUnit: unit, capWindow: window }: RowDraft): string {
  const value = parseDecimal(capValue);
  if (capValue.trim() === "") return "no cap";
  return value === undefined ? capValue : capText({ value, unit, window });
}
