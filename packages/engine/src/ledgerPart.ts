import type { Counter, LedgerId } from "./usageStore.js";

/** Some counters of one ledger, and what they hold: how a store lists what it has, for whoever moves it to another. The two lists are aligned. */
export interface LedgerPart {
  readonly ledger: LedgerId;
  readonly counters: readonly Counter[];
  readonly amounts: readonly number[];
}
