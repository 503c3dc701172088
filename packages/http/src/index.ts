export { dialectOf, type Dialect } from "./dialectOf.js";
export { buildRefusal, type Refusal } from "./buildRefusal.js";
export { buildRateRefusal } from "./buildRateRefusal.js";
export { buildBudgetRefusal, type BudgetRefusal } from "./buildBudgetRefusal.js";
export { buildUpstreamLimit, type UpstreamLimit } from "./buildUpstreamLimit.js";
export { refusalCode, type NoReason, type RefusalCode } from "./refusalCode.js";
export { buildUnauthorized } from "./buildUnauthorized.js";
export { buildFailure, type Failure } from "./buildFailure.js";
export { buildBadRequest, buildProblem, type BuiltAnswer, type ProblemStatus } from "./buildProblem.js";
export { rateLimitFields, type RateLimitFields } from "./rateLimitFields.js";
export { EXPOSED_HEADERS } from "./exposedHeaders.js";
export { forwardHeaders, passThroughHeaders } from "./providerHeaders.js";
export { rateHeaderFamilies, type RateHeaderFamily } from "./rateHeaderFamilies.js";
export { ownRateHeaders } from "./ownRateHeaders.js";
export type { HeaderMap, HeadersInput } from "./headers.js";
export { settlementOf, type RequestOutcome, type Settlement } from "./settlementOf.js";

export {
  createEstimates,
  type Estimates,
  type EstimatesOptions,
  type RequestEstimate,
  type RequestToEstimate,
} from "./createEstimates.js";
export { estimateTokens } from "./estimateTokens.js";
export { outputLimit } from "./outputLimit.js";
export {
  createTypicalOutputs,
  type KeyAndModel,
  type SettledUse,
  type TypicalOutputs,
  type TypicalUse,
} from "./createTypicalOutputs.js";
export { createMeter, type MeasuredAnswer, type Meter } from "./createMeter.js";
export { readUsage, type MeasuredUsage } from "./readUsage.js";
export { measuredAmounts } from "./measuredAmounts.js";
export { includeUsage, type UsageRequest } from "./includeUsage.js";
export { dropUsageChunk, type StreamFilter } from "./dropUsageChunk.js";
export { sseDecoder, type ServerSentEvent, type SseDecoder } from "./sseDecoder.js";

export { poolJson, type AllocationJson, type PoolJson } from "./restPool.js";
export { planJson, type PlanJson } from "./restPlan.js";
export {
  planChangeJson,
  type DimensionChangeJson,
  type KeyChangeJson,
  type PlanChange,
  type PlanChangeJson,
} from "./restPlanChange.js";
export { usageJson, type DimensionUsageJson, type KeyUsageJson, type UsageJson } from "./restUsage.js";
export { burnJson, type BurnJson, type DimensionBurnJson } from "./restBurn.js";
export {
  decisionJson,
  type DecisionJson,
  type DimensionDecisionJson,
  type ReserveJson,
  type ShadowDecisionJson,
} from "./restDecision.js";
export { explanationJson, type Explanation, type ExplanationJson, type RuleJson } from "./restExplanation.js";
export { explainWords } from "./explainWords.js";
export {
  lendingPreviewJson,
  type KeyLendingJson,
  type LendingPreview,
  type LendingPreviewJson,
  type UnderRuleJson,
} from "./restLendingPreview.js";
export type { ShadowCounts, ShadowJson } from "./restShadow.js";
export { rateRefusalJson, type RateRefusalJson } from "./restRateRefusal.js";
export { budgetRefusalJson, type BudgetRefusalJson } from "./restBudgetRefusal.js";
export { ownUsageJson, type OwnDimensionJson, type OwnUsageJson } from "./restOwnUsage.js";
export { parseEstimateQuery } from "./parseEstimateQuery.js";
export { parseIfMatch, versionTag } from "./ifMatch.js";
