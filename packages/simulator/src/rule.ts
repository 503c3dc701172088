import type { LendingSpec } from "@quota/core";

/** A rule that is tried, and what tables call it. */
export interface TriedRule {
  readonly name: string;
  readonly lending: LendingSpec;
}
