import { WEIGHT_SUM_TOLERANCE } from "@quota/core";
import { parseDecimal } from "./parseDecimal.js";
import type { PoolDraft } from "./poolDraft.js";

export interface WeightSum {
  readonly keys: number;
  /** Percent, exact to the millionth that shares are computed in. What cannot be read as a number counts nothing. */
  readonly sum: number;
  /** What is left of 100, for nobody; never below 0. */
  readonly unallocated: number;
  /** By how much it is too much: the gateway would refuse it. */
  readonly over: number;
}

/** What the weights of a draft come to. */
export function weightSum({ rows }: Pick<PoolDraft, "rows">): WeightSum {
  const all = rows.filter(({ isIn }) => isIn);
  const weights = all.map(({ weight }) => parseDecimal(weight) ?? 0);
  const millionths = weights.reduce((total, weight) => total + Math.round(weight * MILLION), 0);
  const over = weights.reduce((total, weight) => total + weight, 0) > 100 + WEIGHT_SUM_TOLERANCE;
  return {
    keys: all.length,
    sum: millionths / MILLION,
    unallocated: Math.max(0, 100 * MILLION - millionths) / MILLION,
    over: over ? Math.max(1, millionths - 100 * MILLION) / MILLION : 0,
  };
}

const MILLION = 1_000_000;
