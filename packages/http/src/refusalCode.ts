import type { RefusalReason } from "@quota/core";

/** Why an answer is no answer: what the pool's decision says, and what stands before, beside and behind the pool. */
export type NoReason =
  | RefusalReason
  | "rate-limit-rpm"
  | "rate-limit-tpm"
  | "budget-exceeded"
  | "budget-unpriced"
  | "unavailable"
  | "upstream-rate-limited";

/** What clients match on. A code never changes its meaning. */
export type RefusalCode = (typeof CODES)[NoReason];

/**
 * The stable code of a reason: in the body (`error.code`) and in `x-quota-reason`, since some agents never show a message. By the code a
 * client tells "your share is spent" from "slow down".
 */
export function refusalCode(reason: NoReason): RefusalCode {
  return CODES[reason];
}

const CODES = {
  "fair-share": "quota_fair_share",
  "cap-absolute": "quota_cap_absolute",
  "global-saturated": "quota_pool_exhausted",
  "in-flight": "quota_in_flight",
  "too-large": "quota_request_too_large",
  "not-allocated": "quota_not_allocated",
  reserved: "quota_reserved",
  contended: "quota_contended",
  "rate-limit-rpm": "rate_limit_rpm",
  "rate-limit-tpm": "rate_limit_tpm",
  "budget-exceeded": "budget_exceeded",
  "budget-unpriced": "budget_unpriced",
  unavailable: "quota_unavailable",
  "upstream-rate-limited": "upstream_rate_limited",
} as const satisfies Readonly<Record<NoReason, string>>;
