import type { Dimension } from "./dimension.js";
import type { EpochMs } from "./units.js";

/** What a pool's keys use, as pages and reports show it. Amounts are grains, fractional where a bucket is fading. */
export interface PoolUsage {
  readonly poolId: string;
  readonly generatedAt: EpochMs;
  readonly dimensions: readonly DimensionUsage[];
  /** The tokens dimension that runs out first, or the first one; rate 0 where the pool counts no tokens. */
  readonly burnRate: { readonly tokensPerSecond: number; readonly timeToExhaustionMs: number | null };
}

/** One dimension of {@link PoolUsage}. */
export interface DimensionUsage {
  readonly dimension: Dimension;
  readonly mode: "generous" | "strict" | "unknown";
  /** Everybody's part of the limit (0.5 is half of it); undefined where the limit is unknown. */
  readonly globalUsedPercent: number | undefined;
  /** What is settled, by everybody: keys with an allocation and keys without. */
  readonly consumedTotal: number;
  /** What is held for requests in flight. */
  readonly held: number;
  /** What the provider saw beyond our count. */
  readonly outside: number;
  /** When a fixed window starts anew, or a full rolling one has room again. */
  readonly opensAt: EpochMs | undefined;
  /** In grains per second. */
  readonly burnRate: { readonly perSecond: number; readonly timeToExhaustionMs: number | null };
  readonly perKey: readonly KeyUsage[];
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
  /** The largest cost that would pass now. */
  readonly available: number | "unlimited";
  /** When the smallest request would pass, if it would not now. */
  readonly retryAt: EpochMs | undefined;
}
