import type { Check } from "./check.js";
import { usageStoreCrowds } from "./usageStoreCrowds.js";
import { usageStoreFaults } from "./usageStoreFaults.js";
import { usageStoreModel } from "./usageStoreModel.js";
import { usageStoreSentences } from "./usageStoreSentences.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/**
 * The contract of a usage store, sentence by sentence: examples first, then random histories against a model, then crowds at a
 * ceiling. {@link describeUsageStore} runs them as tests.
 */
export const usageStoreChecks: readonly Check<UsageStoreUnderTest>[] = [
  ...usageStoreSentences,
  ...usageStoreFaults,
  ...usageStoreModel,
  ...usageStoreCrowds,
];
