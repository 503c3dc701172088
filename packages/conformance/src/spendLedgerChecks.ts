import type { Check } from "./check.js";
import { deadLetterSentences } from "./deadLetterSentences.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";
import { spendGroupSentences } from "./spendGroupSentences.js";
import { spendLedgerHistories } from "./spendLedgerHistories.js";
import { spendLedgerSentences } from "./spendLedgerSentences.js";

/** The contract of a spend ledger. */
export const spendLedgerChecks: readonly Check<SpendBooksUnderTest>[] = [
  ...spendLedgerSentences,
  ...spendGroupSentences,
  ...deadLetterSentences,
  ...spendLedgerHistories,
];
