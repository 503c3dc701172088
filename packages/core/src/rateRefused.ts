import type { RateRefusal } from "./checkRatePlan.js";
import type { EpochMs } from "./units.js";

/** Why rate admission said no. */
export type RateRefusalReason =
  /** The requests, or the tokens, of this minute are used up or kept for others. */
  | "rate-limit-rpm"
  | "rate-limit-tpm"
  /** More tokens than even an unused minute would let pass. A smaller request may. */
  | "too-large"
  /** Too many changed the same numbers at once for a verdict. Nothing was written; ask again in a second. */
  | "contended";

/** A request that a rate plan, or a set of scopes, does not let pass. Nothing was charged. */
export interface RateRefused {
  readonly status: "refused";
  readonly allowed: false;
  readonly reason: RateRefusalReason;
  /** The first node without room, with its numbers; undefined for `contended` alone. */
  readonly refusal?: RateRefusal | undefined;
  /**
   * The first millisecond at which the same request passes if nobody else acts: when the minute turns. Undefined where no time helps
   * (a limit of 0, an estimate that not even an unused minute fits, a minute whose every request is promised to others).
   */
  readonly retryAt?: EpochMs | undefined;
}
