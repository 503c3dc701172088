import type { Check } from "./check.js";
import { spendQueueHeads } from "./spendQueueHeads.js";
import { spendQueueHistories } from "./spendQueueHistories.js";
import { spendQueueSentences } from "./spendQueueSentences.js";
import type { SpendQueueUnderTest } from "./spendQueueUnderTest.js";

/** The contract of a spend queue. */
export const spendQueueChecks: readonly Check<SpendQueueUnderTest>[] = [
  ...spendQueueSentences,
  ...spendQueueHeads,
  ...spendQueueHistories,
];
