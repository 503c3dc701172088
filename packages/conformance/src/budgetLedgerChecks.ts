import { budgetHoldSentences } from "./budgetHoldSentences.js";
import { budgetLedgerHistories } from "./budgetLedgerHistories.js";
import { budgetPeriodSentences } from "./budgetPeriodSentences.js";
import { budgetSentences } from "./budgetSentences.js";
import type { Check } from "./check.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/** The contract of a budget ledger, beside the ledger in whose database it is. */
export const budgetLedgerChecks: readonly Check<SpendBooksUnderTest>[] = [
  ...budgetSentences,
  ...budgetHoldSentences,
  ...budgetPeriodSentences,
  ...budgetLedgerHistories,
];
