import type { Decision, Pool } from "@quota/core";
import { decisionJson, type DimensionDecisionJson } from "./restDecision.js";

/**
 * One pool as the owner of a key may see it (`GET /v1/usage`), from a look that costs nothing (`engine.peek`): the key's own numbers, and of the
 * others no more than how full the pool is. Amounts are in units. `judged` is false where the store did not answer: there are no numbers then.
 */
export function ownUsageJson({
  pool,
  decision,
}: {
  readonly pool: Pick<Pool, "connectionId" | "name">;
  readonly decision: Decision;
}): OwnUsageJson {
  return {
    connectionId: pool.connectionId,
    pool: pool.name,
    judged: decision.status !== "unjudged" && decision.status !== "unavailable",
    dimensions: decisionJson(decision).dimensions.map(ownJson),
  };
}

/** What {@link ownUsageJson} makes. */
export interface OwnUsageJson {
  readonly connectionId: string;
  /** Its name. */
  readonly pool: string;
  readonly judged: boolean;
  readonly dimensions: readonly OwnDimensionJson[];
}

/** One dimension of {@link OwnUsageJson}. */
export type OwnDimensionJson = Omit<
  DimensionDecisionJson,
  "name" | "limit" | "cost" | "total" | "outside" | "maxAllowed" | "refusal"
>;

function ownJson(answer: DimensionDecisionJson): OwnDimensionJson {
  const { unit, window, mode, globalUsedPercent, share, cap, used, held, remaining, available, borrowing } =
    answer;
  return {
    unit,
    window,
    mode,
    globalUsedPercent,
    ...(share !== undefined && { share }),
    ...(cap !== undefined && { cap }),
    used,
    held,
    ...(remaining !== undefined && { remaining }),
    available,
    borrowing,
  };
}
