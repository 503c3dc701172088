import type { Dimension } from "./dimension.js";
import type { LendingRule } from "./lending.js";
import type { ProviderReading } from "./providerSignals/providerReading.js";
import type { EpochMs } from "./units.js";

/** What a pool's keys use, as pages and reports show it. Amounts are grains, fractional where a bucket is fading. */
export interface PoolUsage {
  readonly poolId: string;
  readonly generatedAt: EpochMs;
  readonly dimensions: readonly DimensionUsage[];
  /** The tokens dimension that runs out first, or the first one; rate 0 where the pool counts no tokens. */
  readonly burnRate: { readonly tokensPerSecond: number; readonly timeToExhaustionMs: number | null };
  /** The newest reading of every window that the provider has told this process of, also of those that the plan does not have. */
  readonly signals: readonly KeptReading[];
}

/** What a provider said last of one of its windows. */
export interface KeptReading {
  readonly reading: ProviderReading;
  /** It is older than half a minute: the window may be fuller by now. It still is a lower bound. */
  readonly stale: boolean;
}

/** One dimension of {@link PoolUsage}. */
export interface DimensionUsage {
  readonly dimension: Dimension;
  /** Whether the limit is the plan's, or one that a reading of the provider's carried for a plan that knows none. */
  readonly limitFrom: "plan" | "reading";
  /** Which window this is counted in: a rolling one, or a fixed one that is laid where this says. */
  readonly anchoredBy: "rolling" | "epoch" | "first-use" | "calendar" | "provider";
  /** What the provider last said of the window; undefined where it has said nothing of it. */
  readonly reading: WindowReading | undefined;
  readonly lending: LendingRule;
  /** Under `reserve`, strict where nothing is left that is not held for somebody. */
  readonly mode: "generous" | "strict" | "unknown";
  /** The used part of the limit from which shares bind (0.5 is half of it); undefined under other rules than `threshold`, and without a limit. */
  readonly strictFrom: number | undefined;
  /** Everybody's part of the limit (0.5 is half of it); undefined where the limit is unknown. */
  readonly globalUsedPercent: number | undefined;
  /** What counts against the limit now: settled, held and outside. `globalUsedPercent` is its part of the limit. */
  readonly used: number;
  /** What is settled, by everybody: keys with an allocation and keys without. `measured + attributed + provisional`. */
  readonly consumedTotal: number;
  /** The part that was counted here, request by request. */
  readonly measured: number;
  /** The part that was spread over the keys from what the provider's percentage has risen. */
  readonly attributed: number;
  /** The part that is reckoned, by a learned rate, until the percentage rises next. */
  readonly provisional: number;
  /**
   * The part of `consumedTotal` that no key of `perKey` used: keys without an allocation, any more or yet. Of a percentage it is 0 rather than a few
   * grains below, since every key's provisional part is rounded up by itself.
   */
  readonly unallocated: number;
  /** What is held for requests in flight. */
  readonly held: number;
  /** What the provider saw beyond our count. */
  readonly outside: number;
  /** What is left of the limit for anybody, `limit − consumedTotal − held − outside` and never below 0; undefined where the limit is unknown. */
  readonly free: number | undefined;
  /** What is held for keys that have not used their shares yet, all together; undefined under other rules than `reserve`. */
  readonly reserved: number | undefined;
  /** What is left that is held for nobody, below 0 where more was used than planned; undefined under other rules than `reserve`. */
  readonly spare: number | undefined;
  /** When a fixed window began; undefined where it rolls. */
  readonly windowFrom: EpochMs | undefined;
  /** How much of a fixed window has passed, 0 to 1; undefined where it rolls. */
  readonly elapsed: number | undefined;
  /** When a fixed window starts anew, or a full rolling one has room again. */
  readonly opensAt: EpochMs | undefined;
  /** In grains per second. */
  readonly burnRate: { readonly perSecond: number; readonly timeToExhaustionMs: number | null };
  readonly perKey: readonly KeyUsage[];
}

/** What a provider said of a window. */
export interface WindowReading {
  /** How full it was: 1 is all of it. */
  readonly utilization: number;
  readonly receivedAt: EpochMs;
  /** Older than half a minute: it may be fuller by now. */
  readonly stale: boolean;
}

/** One key's part of {@link DimensionUsage}. */
export interface KeyUsage {
  readonly apiKeyId: string;
  /** Settled use. */
  readonly consumed: number;
  readonly held: number;
  /** Undefined where the limit is unknown. */
  readonly fairShare: number | undefined;
  /** `consumed + held − fairShare`: positive when the key is over its share. */
  readonly deficit: number | undefined;
  readonly borrowing: boolean;
  readonly remaining: number | undefined;
  /** What is still held for it; undefined under other rules than `reserve`. */
  readonly reserve: number | undefined;
  /** The largest cost that would pass now. */
  readonly available: number | "unlimited";
  /** When the smallest request would pass, if it would not now. */
  readonly retryAt: EpochMs | undefined;
}
