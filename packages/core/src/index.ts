export { GRAINS_PER_UNIT, UNITS } from "./units.js";
export type { EpochMs, Unit } from "./units.js";
export { fromGrains, grains, toGrains } from "./grains.js";
export type { Grains } from "./grains.js";
export { amountsInGrains, estimateInGrains } from "./amounts.js";
export type { Amounts, AmountsInGrains } from "./amounts.js";
export { InvalidAmountError } from "./invalidAmountError.js";
export { QuotaConfigError } from "./quotaConfigError.js";
export type { Fault, Parsed } from "./fault.js";
export { wholeFault } from "./wholeFault.js";
export { isRecord } from "./isRecord.js";
export { idFault, idProblem, MAX_ID_LENGTH } from "./id.js";
export type { IdProblem } from "./id.js";

export {
  bucketWeight,
  currentBucket,
  leaseGeneration,
  leaseGenerations,
  WINDOW_MS,
  windowBucket,
  windowBuckets,
  WINDOWS,
} from "./window.js";
export type { Bucket, WindowName, WindowShape } from "./window.js";
export { heldAt, settledAt, useAt } from "./reading.js";
export type { Reading, Use } from "./reading.js";
export { clearingMoment } from "./clearingMoment.js";
export type { Anchor, CalendarAnchor } from "./anchor.js";
export { fixedWindowAt } from "./fixedWindow.js";
export type { FixedWindow } from "./calendarWindow.js";

export {
  compareDimensions,
  countedDimension,
  dimensionName,
  dimensionSpec,
  MAX_SLOTS,
  parseDimensions,
} from "./dimension.js";
export type { Dimension, DimensionName, DimensionSpec } from "./dimension.js";
export { CATALOG } from "./catalog.js";
export type { Plan } from "./plan.js";
export { resolvePlan } from "./resolvePlan.js";

export { MAX_ALLOCATIONS, policyOf, WEIGHT_SUM_TOLERANCE } from "./allocation.js";
export type { Allocation, AllocationSpec, Cap, Policy } from "./allocation.js";
export { allocationSpec } from "./allocationSpec.js";
export { parsePoolTerms } from "./pool.js";
export type { Pool, PoolSpec, PoolTerms, Unallocated } from "./pool.js";
export { whenStoreFailsOf } from "./whenStoreFails.js";
export type { WhenStoreFails } from "./whenStoreFails.js";
export { rebalance } from "./rebalance.js";
export { withAllocation, withoutAllocation } from "./withAllocation.js";
export type { Rebalance } from "./withAllocation.js";
export { isSameLending, LENDING_RULES, lendingSpec, parseLending } from "./lending.js";
export type { Lending, LendingRule, LendingSpec } from "./lending.js";
export { LAST_PART, reservedPart, reservedPartAt } from "./reserveCurve.js";
export type { ReserveCurve } from "./reserveCurve.js";
export { curveOf } from "./curveOf.js";
export { governPool, standingOf } from "./governedPool.js";
export type { GovernedPool, Standing } from "./governedPool.js";

export { decidingDimension } from "./decision.js";
export type {
  Allowed,
  Decision,
  Deprioritized,
  DimensionDecision,
  RefusalReason,
  Refused,
  ReserveNumbers,
  ShadowDecision,
  Unavailable,
  Ungoverned,
  Unjudged,
} from "./decision.js";
export { decideFairShare } from "./decideFairShare.js";
export type { DimensionQuestion, FairShareQuestion } from "./fairShareQuestion.js";
export type { ReserveLine, ReserveQuestion } from "./reserveQuestion.js";
export { cutTo, reserveBound, reserveLeft, reservesAt, reserveWritten } from "./reserveRule.js";
export type { ReservesAt } from "./reserveRule.js";
export { everyoneOf, outsideOf, outsideUse } from "./outsideUse.js";
export type { OutsideUse, Signal } from "./outsideUse.js";
export { DEFAULT_SATURATION_THRESHOLD } from "./thresholdRule.js";
export { verdictBounds } from "./verdictBounds.js";
export type { DimensionBounds } from "./verdictBounds.js";
export type { DimensionUsage, KeptReading, KeyUsage, PoolUsage, WindowReading } from "./poolUsage.js";
export type { DimensionBurn, PoolBurn } from "./poolBurn.js";
export { SAME_RESET_MS, sightWindow } from "./sightWindow.js";
export type { KnownWindow, SightedWindow, WindowSighting } from "./sightWindow.js";

export { plantRatePlan, ratePathFrom } from "./ratePlan.js";
export type {
  PlantedRatePlan,
  RateDimension,
  RateLimit,
  RatePath,
  RatePlan,
  RatePlanNode,
} from "./ratePlan.js";
export type { RatePlanFault, RatePlanInput, RatePlanNodeInput } from "./readRatePlan.js";
export { checkRatePlan, rateRefusalText } from "./checkRatePlan.js";
export type { RateAnswer, RateCharge, RateQuestion, RateRefusal, RateUsage } from "./checkRatePlan.js";
export { plantRateScopes } from "./plantRateScopes.js";
export type { PlantedRateScopes, RateScopeInput } from "./plantRateScopes.js";
export { layOutRates } from "./rateSheet.js";
export type { FixedRateLine, RateCell, RateLine, RateSheet } from "./rateSheet.js";
export { decideRates, ratesBounds, roomAt } from "./decideRates.js";
export type { RatesAnswer, RatesQuestion } from "./decideRates.js";
export { chargeBounds, chargeRates } from "./chargeRates.js";
export type { RatesToCharge } from "./chargeRates.js";
export { rebuildRates } from "./rebuildRates.js";
export type { RateRefusalReason, RateRefused } from "./rateRefused.js";

export { readProviderSignals } from "./providerSignals/readProviderSignals.js";
export type { ProviderAnswer, ProviderSignals } from "./providerSignals/readProviderSignals.js";
export type { HeadersLike } from "./providerSignals/sortHeaders.js";
export type { ProviderReading } from "./providerSignals/providerReading.js";

export { attributeRise } from "./attributeRise.js";
export type { AttributedRise, RiseQuestion } from "./attributeRise.js";
export { learnRate } from "./learnRate.js";
export type { PercentRate } from "./learnRate.js";
export { provisionalPercent } from "./provisionalPercent.js";
export { DEFAULT_TOKEN_PRICES, pricedTokens } from "./pricedTokens.js";
export type { TokenPrices, UsedTokens } from "./pricedTokens.js";

export { burnCurve } from "./burnCurve.js";
export type { BurnPoint } from "./burnCurve.js";
export { computeBurnRate } from "./burnRate.js";
export type { BurnRate, BurnRateQuestion, BurnSample } from "./burnRate.js";
export { softPenalty } from "./softPenalty.js";
export type { ScoredCandidate } from "./softPenalty.js";

export type { NanoUsd } from "./nanoUsd.js";
export { usdText } from "./usdText.js";
export { SUBJECT_KINDS, subjectName, subjectOf } from "./spendSubject.js";
export type { SpendSubject, SubjectKind } from "./spendSubject.js";
export { parseSpendEvent } from "./spendEvent.js";
export type { SpendEvent, SpendOutcome, SpentTokens } from "./spendEvent.js";
export { QUARTER_MS, quarterFrom, quarterOf } from "./spendQuarter.js";
export { parseModelPrices } from "./modelPrices.js";
export type { ModelPrices } from "./modelPrices.js";
export { priceTokens } from "./priceTokens.js";
export type {
  Budget,
  BudgetDecision,
  BudgetPeriod,
  BudgetRefused,
  BudgetSpan,
  BudgetStanding,
} from "./budget.js";
export { parseBudget } from "./parseBudget.js";
export type { BudgetSpec } from "./parseBudget.js";
export { exactBudget } from "./exactBudget.js";
export { budgetSpec } from "./budgetSpec.js";
export { budgetSpan } from "./budgetSpan.js";
export { periodOpens } from "./periodOpens.js";
export { isSamePeriod } from "./isSamePeriod.js";
export { checkBudget } from "./checkBudget.js";
