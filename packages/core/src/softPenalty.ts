import { QuotaConfigError } from "./quotaConfigError.js";

export interface ScoredCandidate {
  /** The router's score after every other factor; higher is better. */
  readonly score: number;
  /** Whether the preview of this candidate was deprioritized: a soft key past its share of a saturated pool. */
  readonly deprioritized: boolean;
  /** What is left of a deprioritized score: 0 to 1, `QUOTA_SOFT_DEPRIORITIZE_FACTOR`. Default 0.7. */
  readonly factor?: number;
}

/**
 * The score a router should go by: a deprioritized candidate's is multiplied by the factor. That lowers its chance
 * without excluding it: the answer is always a score again, and only its order among the others may change.
 *
 * Routers with scores below 0 (costs, log-probabilities) lose the same part of the score's size: −10 becomes −13, for
 * −10 × 0.7 would be a reward. A score of 0 has nothing to lose and stays.
 *
 * @throws {QuotaConfigError} `out-of-range` when the factor is not a number from 0 to 1, whether or not it is needed now.
 * @example
 * softPenalty({ score: 10, deprioritized: true }); // 7
 * softPenalty({ score: 10, deprioritized: false }); // 10
 * softPenalty({ score: -10, deprioritized: true }); // -13
 */
export function softPenalty({ score, deprioritized, factor = 0.7 }: ScoredCandidate): number {
  if (typeof factor !== "number" || !(factor >= 0 && factor <= 1))
    throw new QuotaConfigError({
      code: "out-of-range",
      field: "factor",
      problem: `${String(factor)} is not a number from 0 to 1.`,
      remedy: "Give the part of the score to keep, such as 0.7.",
    });
  if (!deprioritized) return score;
  return score < 0 ? score * (2 - factor) : score * factor;
}
