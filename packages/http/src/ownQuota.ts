import { currentBucket, WINDOW_MS, type Decision, type DimensionDecision, type EpochMs } from "@quota/core";
import { mayHoldLess } from "./mayHoldLess.js";
import { retryAdvice } from "./retryAdvice.js";

/** What one key may be told of one dimension: its own numbers, in grains, after the request that was decided on. */
export interface OwnQuota {
  readonly dimension: DimensionDecision;
  /** What the key may count on: its share, or its cap where that is smaller. */
  readonly quota: number;
  /**
   * What is left of it; never negative, and 0 where the pool, and not the key's own use, refused. It is no promise that the pool has
   * as much: that would tell what the others use.
   */
  readonly left: number;
  /**
   * What passes for sure of `left`, whatever others do: all of it but under `reserve`, where it is what is held for the key at this moment of the
   * window. Never more than `left`.
   */
  readonly sure: number;
  /** Whether anything at all passes now: false where the pool is full or the key's own part of it is closed. */
  readonly passes: boolean;
  /**
   * Whether it is certain that nothing passes. Under `reserve` it may be uncertain: as long as a key is not refused, nobody looks how much of what
   * was held for others may be lent by now.
   */
  readonly isFull: boolean;
  /** Up to when this holds for sure: the end of the window, or of its current part where it rolls; on a refusal no later than it opens. */
  readonly endsAt: EpochMs;
}

/** When the refused request would pass; undefined for other decisions, and where nobody knows. */
export function openingOf(decision: Decision, now: EpochMs): EpochMs | undefined {
  return decision.status === "refused" ? retryAdvice({ decision }, now).opensAt : undefined;
}

/** {@link OwnQuota} of one dimension; undefined where the key has neither a share nor a cap in it. */
export function ownQuota(
  dimension: DimensionDecision,
  {
    counted,
    opensAt,
  }: {
    /** An allowed request is counted by now; a refused one never is. */
    readonly counted: boolean;
    readonly opensAt: EpochMs | undefined;
  },
  now: EpochMs,
): OwnQuota | undefined {
  const { share, cap, used, cost, available, refusal, reserve } = dimension;
  if (share === undefined && cap === undefined) return undefined;
  const quota = Math.min(share ?? Infinity, cap ?? Infinity);
  const taken = counted ? cost : 0;
  // A request that is too large for the key itself leaves it what it had.
  const isPools = refusal !== undefined && refusal !== "cap-absolute" && refusal !== "too-large";
  const left = isPools ? 0 : Math.max(0, quota - used - taken);
  const passes = !isPools && (available === "unlimited" || available > taken);
  return {
    dimension,
    quota,
    left,
    sure: reserve === undefined ? left : Math.min(left, reserve.own - (counted ? reserve.fromOwn : 0)),
    passes,
    isFull: !passes && (isPools || !mayHoldLess(dimension, taken)),
    endsAt: endOf(dimension, opensAt, now),
  };
}

function endOf({ window, resetsAt }: DimensionDecision, opensAt: EpochMs | undefined, now: EpochMs): EpochMs {
  const length = WINDOW_MS[window];
  const end = resetsAt !== undefined && resetsAt > now ? resetsAt : (currentBucket(length, now) + 1) * length;
  return opensAt === undefined ? end : Math.min(end, Math.max(now, opensAt));
}
