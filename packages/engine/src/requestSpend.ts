import type { NanoUsd, SpendSubject } from "@quota/core";

/** What budgets must know of a request. */
export interface RequestSpend {
  /** The gateway's own, and the id of its spend event. */
  readonly requestId: string;
  readonly subjects: readonly SpendSubject[];
  /** What it may cost. It is read only where one of the subjects has a budget: a getter need not know before. */
  readonly estimate: NanoUsd | "unpriced";
}
