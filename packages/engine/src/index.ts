export { createQuotaEngine } from "./createQuotaEngine.js";
export type {
  Admission,
  EngineStatus,
  Logger,
  QuotaCaller,
  QuotaEngine,
  QuotaEngineOptions,
  QuotaRequest,
} from "./quotaEngine.js";
export type { PoolExplanation } from "./explainPool.js";
export type { KeyUnderRule, LendingComparison } from "./compareLending.js";
export type { Lease } from "./lease.js";
export { quotaHooks } from "./quotaHooks.js";
export type { QuotaHooks } from "./quotaHooks.js";
export { worstCaseOvershoot } from "./worstCaseOvershoot.js";
export { createWaitingRoom } from "./waitingRoom.js";
export type { WaitingRoom, WaitingRoomOptions } from "./waitingRoom.js";
export { withRatePlan } from "./withRatePlan.js";
export type { RatePlanFirst, WithRatePlanOptions } from "./withRatePlan.js";
export type { RatedAdmission, RatedEngine, RatedRefusal } from "./ratedAdmission.js";
export { withBudgets } from "./withBudgets.js";
export type { BudgetsFirst, HeldSpend, WithBudgetsOptions } from "./withBudgets.js";
export type { RequestSpend } from "./requestSpend.js";

export { createRateAdmission } from "./createRateAdmission.js";
export type {
  RateAdmission,
  RateAdmissionOptions,
  RateDecision,
  RateDimensionUsage,
  RateLease,
  RateNodeUsage,
  RatePlanRequest,
  RatePlanUsage,
  RateTreeUsage,
  RateRoom,
  RateScopesRequest,
  RevisedRatePlan,
  SlidingMinute,
} from "./rateAdmission.js";
export { RatesUnavailableError } from "./ratesUnavailableError.js";

export type { Counter, CounterId, LedgerId, Step, UsageStore, Verdict } from "./usageStore.js";
export type { LedgerPart } from "./ledgerPart.js";
export { joinedPart } from "./joinedPart.js";
export type { JoinedPart, LedgerLook } from "./joinedPart.js";
export { StoreError } from "./storeError.js";
export { leniently } from "./leniently.js";
export { ContendedError } from "./contendedError.js";
export type { Awaitable } from "./awaitable.js";
export type { PoolChange, PoolDirectory } from "./poolDirectory.js";
export { newPool, refuseTaken } from "./newPool.js";
export { changedPool } from "./changedPool.js";
export { allocationRow, poolRow, storedPool } from "./storedPool.js";
export type { AllocationRow, OnDamage, PoolRow } from "./storedPool.js";
export { PoolConflictError } from "./poolConflictError.js";
export { InvalidInputError } from "./invalidInputError.js";
export { refuseUncountable } from "./refuseUncountable.js";
export type { PlanOverrides } from "./planOverrides.js";
export type { SignalSource } from "./signalSource.js";

export type { DamagedSpend, SpendItem, SpendPeek, SpendPosition, SpendQueue } from "./spendQueue.js";
export type { DeadLetter, SpendAsked, SpendGroup, SpendGrouping, SpendLedger } from "./spendLedger.js";
export { DAY_MS, dayName, spendSpans } from "./spendSpans.js";
export type { SpendSpans } from "./spendSpans.js";
export type { BudgetHold, BudgetLedger } from "./budgetLedger.js";
export { LATENCY_KEPT_MS, LATENCY_SAMPLES } from "./liveState.js";
export type { LiveState } from "./liveState.js";
export type { Affinity, AffinityChange } from "./affinity.js";
export type { Settings, SettingValue } from "./settings.js";

export { startSpendFlusher } from "./startSpendFlusher.js";
export type { SpendFlusher, SpendFlusherOptions, SpendFlusherStatus } from "./startSpendFlusher.js";
export { startRetention } from "./startRetention.js";
export type { Retention, RetentionOptions } from "./startRetention.js";

export { createMemoryUsageStore } from "./memoryUsageStore.js";
export { createMemoryPoolDirectory } from "./memoryPoolDirectory.js";
export { createMemoryPlanOverrides } from "./memoryPlanOverrides.js";
export { createMemorySpendQueue } from "./memorySpendQueue.js";
export type { MemorySpendQueue } from "./memorySpendQueue.js";
export { createMemorySpendBooks } from "./memorySpendBooks.js";
export { createMemoryLiveState } from "./memoryLiveState.js";
export { createMemoryAffinity } from "./memoryAffinity.js";
