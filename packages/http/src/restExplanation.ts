import {
  fromGrains,
  type Decision,
  type DimensionName,
  type EpochMs,
  type LendingSpec,
  type Unit,
} from "@quota/core";
import { explainWords } from "./explainWords.js";
import { decisionJson, type DecisionJson } from "./restDecision.js";
import { withoutUndefined } from "./withoutUndefined.js";

/** Why a request would be answered as it would, for the REST API: in words and in units. */
export function explanationJson(explanation: Explanation): ExplanationJson {
  const { poolId, apiKeyId, generatedAt, lending, decision, heldFor, rules } = explanation;
  return {
    poolId,
    apiKeyId,
    generatedAt,
    lending,
    decision: decisionJson(decision),
    heldFor: heldFor.map(({ dimension, keys, amount }) => {
      const unit = unitOf(dimension);
      return { dimension, unit, keys, amount: fromGrains(unit, amount) };
    }),
    rules: rules.map(ruleJson),
    words: explainWords(explanation),
  };
}

/** What the engine's `explain` answers, in grains. */
export interface Explanation {
  readonly poolId: string;
  readonly apiKeyId: string;
  readonly generatedAt: EpochMs;
  readonly lending: LendingSpec;
  readonly decision: Decision;
  readonly heldFor: readonly {
    readonly dimension: DimensionName;
    readonly keys: number;
    readonly amount: number;
  }[];
  readonly rules: readonly { readonly lending: LendingSpec; readonly decision: Decision }[];
}

/** What {@link explanationJson} makes. It names no key but the one that asks. */
export interface ExplanationJson {
  readonly poolId: string;
  readonly apiKeyId: string;
  readonly generatedAt: EpochMs;
  /** The pool's own rule. */
  readonly lending: LendingSpec;
  /** By the pool's own rule, after a look at every key. */
  readonly decision: DecisionJson;
  /** For how many other keys how much is held; empty under other rules than `reserve`. */
  readonly heldFor: readonly {
    readonly dimension: DimensionName;
    readonly unit: Unit;
    readonly keys: number;
    readonly amount: number;
  }[];
  /** The pool's own rule among them; the others as if they were chosen now. */
  readonly rules: readonly RuleJson[];
  /** Sentences, the most telling first. */
  readonly words: readonly string[];
}

/** What one rule would say. */
export interface RuleJson {
  readonly lending: LendingSpec;
  readonly status: Decision["status"];
  readonly allowed: boolean;
  readonly reason?: string;
  readonly retryAt?: EpochMs;
  /** The largest cost that would pass now, in each dimension. */
  readonly available: readonly {
    readonly dimension: DimensionName;
    readonly unit: Unit;
    readonly amount: number | "unlimited";
  }[];
  readonly decision: DecisionJson;
}

function ruleJson({ lending, decision }: Explanation["rules"][number]): RuleJson {
  return withoutUndefined({
    lending,
    status: decision.status,
    allowed: decision.allowed,
    reason: decision.status === "refused" ? decision.reason : undefined,
    retryAt: decision.status === "refused" ? decision.retryAt : undefined,
    available: decision.dimensions.map(({ name, unit, available }) => ({
      dimension: name,
      unit,
      amount: available === "unlimited" ? available : fromGrains(unit, available),
    })),
    decision: decisionJson(decision),
  });
}

/** A dimension's name begins with what it counts. */
function unitOf(name: DimensionName): Unit {
  return name.slice(0, name.indexOf("/")) as Unit;
}
