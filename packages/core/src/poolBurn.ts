import type { BurnPoint } from "./burnCurve.js";
import type { BurnRate } from "./burnRate.js";
import type { Dimension } from "./dimension.js";
import type { EpochMs } from "./units.js";

/** How fast a pool is used up, and how that came about, as one process has seen it. Amounts are grains. */
export interface PoolBurn {
  readonly poolId: string;
  readonly generatedAt: EpochMs;
  readonly dimensions: readonly DimensionBurn[];
}

/** One dimension of {@link PoolBurn}. */
export interface DimensionBurn {
  readonly dimension: Dimension;
  /** What counts against the limit now: settled, held and outside. */
  readonly used: number;
  readonly burnRate: BurnRate;
  /**
   * Oldest first: what was settled in all, whichever windows have passed meanwhile. It begins with what the window held when this process
   * first saw the dimension.
   */
  readonly samples: readonly BurnPoint[];
}
