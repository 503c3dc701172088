import type { DimensionName } from "./dimension.js";
import type { Lending, LendingRule } from "./lending.js";
import type { EpochMs, Unit } from "./units.js";
import type { WindowName } from "./window.js";

/**
 * The answer to one request, as a value with its numbers. Everybody who explains, counts or draws a decision reads it from
 * here; nobody parses text.
 */
export type Decision = Allowed | Deprioritized | Refused | Ungoverned | Unjudged | Unavailable;

/** Within the rules. */
export interface Allowed {
  readonly status: "allowed";
  readonly allowed: true;
  readonly dimensions: readonly DimensionDecision[];
  readonly shadow?: ShadowDecision | undefined;
}

/** A soft key past its share: it passes, but routing should prefer another candidate. */
export interface Deprioritized {
  readonly status: "deprioritized";
  readonly allowed: true;
  readonly decidedBy: DimensionName;
  readonly dimensions: readonly DimensionDecision[];
  readonly shadow?: ShadowDecision | undefined;
}

/** Not now, or never: see `reason` and `retryAt`. */
export interface Refused {
  readonly status: "refused";
  readonly allowed: false;
  readonly reason: RefusalReason;
  /** What an `in-flight` refusal would be called once nothing is in flight any more. */
  readonly cause?: "cap-absolute" | "global-saturated" | "fair-share" | "reserved";
  /** The dimension that decided: of several that refuse, the one that clears last. Absent where no dimension was looked at. */
  readonly decidedBy?: DimensionName;
  /** The earliest millisecond at which the same request would pass if nobody else acts. Absent where no time would help, or none is known. */
  readonly retryAt?: EpochMs;
  readonly dimensions: readonly DimensionDecision[];
  readonly shadow?: ShadowDecision | undefined;
}

/** What a decision would have been under the pool's shadow rule, at the same numbers. It has had no effect. */
export interface ShadowDecision {
  readonly lending: Lending;
  readonly status: "allowed" | "deprioritized" | "refused";
  readonly reason?: RefusalReason | undefined;
  readonly retryAt?: EpochMs | undefined;
}

/** Nobody shares this connection, or its plan says nothing: passed through. */
export interface Ungoverned {
  readonly status: "ungoverned";
  readonly allowed: true;
  readonly why: "no-pool" | "empty-plan";
  readonly dimensions: readonly [];
}

/** The store failed and the policy is to let requests pass; use is settled in full once it is back. */
export interface Unjudged {
  readonly status: "unjudged";
  readonly allowed: true;
  /** What the store said. */
  readonly cause: unknown;
  readonly dimensions: readonly [];
}

/** The store failed and the policy is to refuse (503). */
export interface Unavailable {
  readonly status: "unavailable";
  readonly allowed: false;
  /** What the store said. */
  readonly cause: unknown;
  readonly dimensions: readonly [];
}

/**
 * Why a request was refused.
 * - `cap-absolute`: the key's own absolute cap is reached.
 * - `global-saturated`: the pool as a whole has no room for it.
 * - `fair-share`: the pool is strict and the key has used up its share.
 * - `reserved`: what is left is held for keys that have not used their shares yet.
 * - `in-flight`: only what is held for open requests stands in the way; it clears when they end, not with the window.
 * - `too-large`: above the limit or the cap by itself; it can never pass.
 * - `not-allocated`: the pool admits allocated keys only.
 * - `contended`: so many requests changed the same numbers at once that no verdict held; ask again in a second.
 */
export type RefusalReason =
  | "cap-absolute"
  | "global-saturated"
  | "fair-share"
  | "reserved"
  | "in-flight"
  | "too-large"
  | "not-allocated"
  | "contended";

/** One dimension's part of a decision. Amounts are grains at the moment of the decision, fractional where a bucket is fading. */
export interface DimensionDecision {
  readonly name: DimensionName;
  readonly unit: Unit;
  readonly window: WindowName;
  readonly limit: number | "unknown";
  /** The rule that this was decided by. */
  readonly lending: LendingRule;
  /**
   * `"strict"`: shares bind (under `reserve`, nothing is left that is not held for somebody). `"unknown"`: there is no limit, so there
   * are no shares.
   */
  readonly mode: "generous" | "strict" | "unknown";
  /** Everybody's part of the limit (0.5 is half of it); undefined where the limit is unknown. */
  readonly globalUsedPercent: number | undefined;
  /** What this request was estimated to add. */
  readonly cost: number;
  /** This key's use: settled and held. */
  readonly used: number;
  /** The part of `used` that is held for requests in flight. */
  readonly held: number;
  /** Everybody's use that we counted: settled and held. */
  readonly total: number;
  /** What the provider saw beyond our count. */
  readonly outside: number;
  /** Undefined where the limit is unknown. */
  readonly share: number | undefined;
  readonly cap: number | undefined;
  /** Under `reserve`, what is held for whom; undefined under every other rule, and where the limit is unknown. */
  readonly reserve: ReserveNumbers | undefined;
  /** What is left of the share, never below 0; undefined where there is no share. */
  readonly remaining: number | undefined;
  /** The largest cost that would pass now. */
  readonly available: number | "unlimited";
  /** The borrowing bound: the limit less what others use; undefined where the limit is unknown. */
  readonly maxAllowed: number | undefined;
  /** Whether the key uses more than its share. */
  readonly borrowing: boolean;
  /** When the window ends and all of it opens, where it is a fixed one; undefined where it rolls. */
  readonly resetsAt: EpochMs | undefined;
  /** Why this dimension alone refuses; undefined where it does not. */
  readonly refusal:
    "cap-absolute" | "global-saturated" | "fair-share" | "reserved" | "in-flight" | "too-large" | undefined;
}

/** What is held for whom in one dimension at the moment of a decision, in grains. */
export interface ReserveNumbers {
  /** What was still held for this key. */
  readonly own: number;
  /** The most that may be held for it at this moment of the window. */
  readonly bound: number;
  /** What is held for all others; more than that, never less, unless `isExact`. */
  readonly forOthers: number;
  /** How many other keys something is held for; undefined unless `isExact`. */
  readonly holders: number | undefined;
  /** What is left for anybody: the limit less everybody's use and everything that is held. Below 0 where more was used than planned. */
  readonly spare: number;
  /** The part of the cost that comes out of `own`. */
  readonly fromOwn: number;
  /** What the key's reserve has given up since it was last written down. */
  readonly decayed: number;
  /** Whether every key was looked at, and not only this one. */
  readonly isExact: boolean;
  /** Whether more was used than planned, so that every reserve was cut to the same part of itself. */
  readonly isCut: boolean;
}

/** The numbers of the dimension that decided, if one did. */
export function decidingDimension(decision: Decision): DimensionDecision | undefined {
  const name = "decidedBy" in decision ? decision.decidedBy : undefined;
  return name === undefined ? undefined : decision.dimensions.find((dimension) => dimension.name === name);
}
