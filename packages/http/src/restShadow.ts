import type { EpochMs, LendingSpec } from "@quota/core";

/** How often a pool's own rule and its shadow rule agreed, as a gateway counts it (`GET /api/quota/pools/:id/shadow`). */
export interface ShadowJson {
  /** The pool's own rule. */
  readonly lending: LendingSpec;
  readonly shadow: LendingSpec;
  /** When the counting began: with this pair of rules, in this process. */
  readonly since: EpochMs;
  readonly counts: ShadowCounts;
}

/** Requests, each once. What is deprioritized passes, so it counts as allowed. */
export interface ShadowCounts {
  readonly bothAllowed: number;
  readonly bothRefused: number;
  readonly onlyShadowRefuses: number;
  readonly onlyShadowAllows: number;
  /** Decided without a word of the shadow rule: it cannot be asked where windows roll, nor without a verdict. */
  readonly unknown: number;
}
