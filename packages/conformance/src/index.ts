export { describeUsageStore } from "./describeUsageStore.js";
export type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";
export type { OpenShaken } from "./shakenUsageStoreChecks.js";
export {
  describeRateAdmission,
  rateAdmissionChecks,
  shakenRateAdmissionChecks,
} from "./describeRateAdmission.js";
export {
  agreedWindowsChecks,
  describeAgreedWindows,
  shakenAgreedWindowsChecks,
} from "./describeAgreedWindows.js";
export { describeReserves, reserveChecks, shakenReserveChecks } from "./describeReserves.js";
export { describePoolDirectory } from "./describePoolDirectory.js";
export type { PoolDirectoryUnderTest } from "./poolDirectoryUnderTest.js";
export { describePlanOverrides } from "./describePlanOverrides.js";
export type { PlanOverridesUnderTest } from "./planOverridesChecks.js";
export { describeSpendQueue } from "./describeSpendQueue.js";
export type { SpendQueueUnderTest } from "./spendQueueUnderTest.js";
export { describeSpendLedger } from "./describeSpendLedger.js";
export { describeBudgetLedger } from "./describeBudgetLedger.js";
export type { SpendBooks, SpendBooksUnderTest } from "./spendBooksUnderTest.js";
export { describeLiveState } from "./describeLiveState.js";
export type { LiveStateUnderTest } from "./liveStateUnderTest.js";
export { describeAffinity } from "./describeAffinity.js";
export type { AffinityUnderTest } from "./affinityUnderTest.js";

export type { Check } from "./check.js";
export { usageStoreChecks } from "./usageStoreChecks.js";
export { shakenUsageStoreChecks } from "./shakenUsageStoreChecks.js";
export { poolDirectoryChecks } from "./poolDirectoryChecks.js";
export { planOverridesChecks } from "./planOverridesChecks.js";
export { spendQueueChecks } from "./spendQueueChecks.js";
export { spendLedgerChecks } from "./spendLedgerChecks.js";
export { budgetLedgerChecks } from "./budgetLedgerChecks.js";
export { liveStateChecks } from "./liveStateChecks.js";
export { affinityChecks } from "./affinityChecks.js";
