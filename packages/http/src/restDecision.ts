import { fromGrains, type Decision, type DimensionDecision, type Unit } from "@quota/core";
import { withoutUndefined } from "./withoutUndefined.js";

/**
 * A decision for the REST API: its own members, amounts in units. What a store said when it failed stays here: an `unjudged` or
 * `unavailable` decision says that much and invents no numbers.
 */
export function decisionJson(decision: Decision): DecisionJson {
  const { status, allowed } = decision;
  const dimensions = decision.dimensions.map(dimensionDecisionJson);
  if (status === "unjudged" || status === "unavailable") return { status, allowed, dimensions };
  return withoutUndefined({
    status,
    allowed,
    why: "why" in decision ? decision.why : undefined,
    reason: "reason" in decision ? decision.reason : undefined,
    cause: "cause" in decision ? decision.cause : undefined,
    decidedBy: "decidedBy" in decision ? decision.decidedBy : undefined,
    retryAt: "retryAt" in decision ? decision.retryAt : undefined,
    dimensions,
  });
}

/** What {@link decisionJson} makes. */
export interface DecisionJson {
  readonly status: Decision["status"];
  readonly allowed: boolean;
  readonly why?: string;
  readonly reason?: string;
  readonly cause?: string;
  readonly decidedBy?: string;
  readonly retryAt?: number;
  readonly dimensions: readonly DimensionDecisionJson[];
}

/** One dimension of {@link DecisionJson}: the members of `DimensionDecision`, in units. */
export interface DimensionDecisionJson {
  readonly name: string;
  readonly unit: Unit;
  readonly window: string;
  readonly limit: number | "unknown";
  readonly mode: DimensionDecision["mode"];
  readonly globalUsedPercent: number | null;
  readonly cost: number;
  readonly used: number;
  readonly held: number;
  readonly total: number;
  readonly outside: number;
  readonly share?: number;
  readonly cap?: number;
  readonly remaining?: number;
  readonly available: number | "unlimited";
  readonly maxAllowed?: number;
  readonly borrowing: boolean;
  readonly refusal?: string;
}

function dimensionDecisionJson(answer: DimensionDecision): DimensionDecisionJson {
  const { name, unit, window, limit, mode, globalUsedPercent, available, borrowing, refusal } = answer;
  const units = (amount: number): number => fromGrains(unit, amount);
  const known = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : units(amount);
  return withoutUndefined({
    name,
    unit,
    window,
    limit: limit === "unknown" ? limit : units(limit),
    mode,
    globalUsedPercent: globalUsedPercent ?? null,
    cost: units(answer.cost),
    used: units(answer.used),
    held: units(answer.held),
    total: units(answer.total),
    outside: units(answer.outside),
    share: known(answer.share),
    cap: known(answer.cap),
    remaining: known(answer.remaining),
    available: available === "unlimited" ? available : units(available),
    maxAllowed: known(answer.maxAllowed),
    borrowing,
    refusal,
  });
}
