export { parseTrace } from "./traces/parseTrace.js";
export { readTrace } from "./traces/readTrace.js";
export { traceText } from "./traces/traceText.js";
export { generateTrace, TRACE_SHAPES } from "./traces/generateTrace.js";
export type { GeneratedTrace, TraceShape } from "./traces/generateTrace.js";
export { recordTrace } from "./traces/recordTrace.js";
export type { LogShape } from "./traces/recordTrace.js";
export { SLOT_MS } from "./traces/trace.js";
export type { Trace, TraceSlot } from "./traces/trace.js";
export { TraceError } from "./traces/traceError.js";

export { workloadOfTrace } from "./workloadOfTrace.js";
export type { QuotaTerms } from "./workloadOfTrace.js";
export { SCRIPTS } from "./scripts/scripts.js";
export type { Act, Script, ScriptedKey } from "./scripts/scripts.js";
export { workloadOfScript } from "./scripts/workloadOfScript.js";
export type { SimulatedKey, Workload } from "./workload.js";
export type { Incident } from "./incident.js";
export type { KeyRates } from "./arrivals.js";

export { DEFAULT_RULES, ruleNamed } from "./ruleNamed.js";
export type { TriedRule } from "./rule.js";
export { compareRules } from "./compareRules.js";
export type { Comparison, RuleResult } from "./compareRules.js";
export { simulateRule } from "./simulateRule.js";
export type { Played, PlayedWindow, RetryCheck } from "./played.js";
export { maxMin } from "./maxMin.js";
export { summarize } from "./summarize.js";
export type { KeySummary, Summary, WindowSummary } from "./summarize.js";

export { tableOf } from "./report/tableOf.js";
export { reportPage } from "./report/reportPage.js";
export type { ReportSection } from "./report/reportPage.js";
export { FIGURES, figuresOf } from "./report/figuresOf.js";
export type { Figure } from "./report/figuresOf.js";
