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
