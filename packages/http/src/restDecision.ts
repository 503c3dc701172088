import {
  fromGrains,
  lendingSpec,
  type Decision,
  type DimensionDecision,
  type LendingSpec,
  type ReserveNumbers,
  type ShadowDecision,
  type Unit,
} from "@quota/core";
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
    shadow: "shadow" in decision && decision.shadow !== undefined ? shadowJson(decision.shadow) : undefined,
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
  /** What it would have been under the pool's shadow rule; missing where the pool has none. */
  readonly shadow?: ShadowDecisionJson;
}

/** What a decision would have been under another rule, which has had no effect. */
export interface ShadowDecisionJson {
  readonly lending: LendingSpec;
  readonly status: ShadowDecision["status"];
  readonly reason?: string;
  readonly retryAt?: number;
}

/** One dimension of {@link DecisionJson}: the members of `DimensionDecision`, in units. */
export interface DimensionDecisionJson {
  readonly name: string;
  readonly unit: Unit;
  readonly window: string;
  readonly limit: number | "unknown";
  readonly lending: DimensionDecision["lending"];
  readonly mode: DimensionDecision["mode"];
  readonly globalUsedPercent: number | null;
  readonly cost: number;
  readonly used: number;
  readonly held: number;
  readonly total: number;
  readonly outside: number;
  readonly share?: number;
  readonly cap?: number;
  /** Under `reserve`, what is held for whom. */
  readonly reserve?: ReserveJson;
  readonly remaining?: number;
  readonly available: number | "unlimited";
  readonly maxAllowed?: number;
  readonly borrowing: boolean;
  readonly refusal?: string;
}

/** `ReserveNumbers`, in units. `forOthers` is an upper bound, and `holders` missing, unless `isExact`. */
export interface ReserveJson {
  readonly own: number;
  readonly bound: number;
  readonly forOthers: number;
  readonly holders?: number;
  readonly spare: number;
  readonly fromOwn: number;
  readonly decayed: number;
  readonly isExact: boolean;
}

function shadowJson({ lending, status, reason, retryAt }: ShadowDecision): ShadowDecisionJson {
  return withoutUndefined({ lending: lendingSpec(lending), status, reason, retryAt });
}

function dimensionDecisionJson(answer: DimensionDecision): DimensionDecisionJson {
  const { name, unit, window, limit, mode, globalUsedPercent, available, borrowing, refusal } = answer;
  const { lending, reserve } = answer;
  const units = (amount: number): number => fromGrains(unit, amount);
  const known = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : units(amount);
  return withoutUndefined({
    name,
    unit,
    window,
    limit: limit === "unknown" ? limit : units(limit),
    lending,
    mode,
    globalUsedPercent: globalUsedPercent ?? null,
    cost: units(answer.cost),
    used: units(answer.used),
    held: units(answer.held),
    total: units(answer.total),
    outside: units(answer.outside),
    share: known(answer.share),
    cap: known(answer.cap),
    reserve: reserve === undefined ? undefined : reserveJson(reserve, units),
    remaining: known(answer.remaining),
    available: available === "unlimited" ? available : units(available),
    maxAllowed: known(answer.maxAllowed),
    borrowing,
    refusal,
  });
}

function reserveJson(
  { holders, isExact, ...amounts }: ReserveNumbers,
  units: (amount: number) => number,
): ReserveJson {
  return withoutUndefined({
    own: units(amounts.own),
    bound: units(amounts.bound),
    forOthers: units(amounts.forOthers),
    holders,
    spare: units(amounts.spare),
    fromOwn: units(amounts.fromOwn),
    decayed: units(amounts.decayed),
    isExact,
  });
}
