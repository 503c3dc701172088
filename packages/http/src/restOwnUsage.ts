import { fromGrains, type Decision, type DimensionDecision, type EpochMs, type Pool } from "@quota/core";
import { mayHoldLess } from "./mayHoldLess.js";
import { withoutUndefined } from "./withoutUndefined.js";

/**
 * One pool as the owner of a key may see it (`GET /v1/usage`), from a look that costs nothing (`engine.peek`): the key's own numbers, and of the
 * others no more than how full the pool is. Amounts are in units. `judged` is false where the store did not answer: there are no numbers then.
 *
 * `globalUsedPercent` is in whole hundredths, rounded down, and never above 1: 0.73 is from 73 % up to, not including, 74 %, and 1 is full. The room
 * that the pool has is not told: with it, and its limit, whoever looks twice knows to the token what the others used in between. `passes` says
 * whether anything would pass now; under `reserve` it is false only where that is certain.
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
    dimensions: decision.dimensions.map(ownJson),
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
export interface OwnDimensionJson {
  readonly unit: string;
  readonly window: string;
  readonly lending: DimensionDecision["lending"];
  readonly mode: DimensionDecision["mode"];
  /** How full the pool is, in whole hundredths; null where its limit is unknown. */
  readonly globalUsedPercent: number | null;
  readonly share?: number;
  readonly cap?: number;
  readonly used: number;
  readonly held: number;
  readonly remaining?: number;
  /** What of the share is still held for the key, under `reserve`: that much passes, whatever others do. */
  readonly reserve?: number;
  readonly borrowing: boolean;
  readonly passes: boolean;
  /** When the window starts anew, where it is a fixed one. */
  readonly resetsAt?: EpochMs;
}

function ownJson(dimension: DimensionDecision): OwnDimensionJson {
  const { unit, window, lending, mode, share, cap, used, held, remaining, available, borrowing, resetsAt } =
    dimension;
  const units = (amount: number): number => fromGrains(unit, amount);
  const known = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : units(amount);
  return withoutUndefined({
    unit,
    window,
    lending,
    mode,
    globalUsedPercent: fullness(dimension),
    share: known(share),
    cap: known(cap),
    used: units(used),
    held: units(held),
    remaining: known(remaining),
    reserve: known(dimension.reserve?.own),
    borrowing,
    passes: available === "unlimited" || available > 0 || mayHoldLess(dimension, 0),
    resetsAt,
  });
}

/** Not from `globalUsedPercent`, of which a hundredth is often a little less than it: 0.29 × 100 is 28.999999999999996. */
function fullness({ total, outside, limit }: DimensionDecision): number | null {
  if (limit === "unknown") return null;
  return Math.min(100, Math.max(0, Math.floor(((total + outside) * 100) / limit))) / 100;
}
