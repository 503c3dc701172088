import { fromGrains, type DimensionBurn, type EpochMs, type PoolBurn, type Unit } from "@quota/core";

/** How fast a pool is used up, for the REST API. Amounts are in units. Under two samples nothing is known of a rate: it is 0. */
export function burnJson({ poolId, generatedAt, dimensions }: PoolBurn): BurnJson {
  return {
    poolId,
    generatedAt,
    dimensions: dimensions.map((dimension) => dimensionBurnJson(dimension, generatedAt)),
  };
}

/** What {@link burnJson} makes. */
export interface BurnJson {
  readonly poolId: string;
  readonly generatedAt: EpochMs;
  readonly dimensions: readonly DimensionBurnJson[];
}

/** One dimension of {@link BurnJson}. */
export interface DimensionBurnJson {
  readonly unit: Unit;
  readonly window: string;
  readonly limit: number | "unknown";
  /** What counts against the limit now: settled, held and outside. */
  readonly used: number;
  readonly perSecond: number;
  /** How long what is left lasts at that rate; null where it cannot be told, or never ends. */
  readonly timeToExhaustionMs: number | null;
  /** `generatedAt` and that time. It is no promise: a window that starts anew before then is not looked at. */
  readonly exhaustedAt?: EpochMs;
  /** What the samples would have come to by then: the newest, and what is left now. */
  readonly exhaustedUsed?: number;
  /**
   * Oldest first: what was settled in all, whichever windows have passed meanwhile, and the rate as it was by then. It begins with what the
   * window held when the process first saw the dimension.
   */
  readonly samples: readonly { readonly at: EpochMs; readonly used: number; readonly perSecond: number }[];
}

function dimensionBurnJson(
  { dimension, used, burnRate, samples }: DimensionBurn,
  generatedAt: EpochMs,
): DimensionBurnJson {
  const { unit, window, limit } = dimension;
  const units = (amount: number): number => fromGrains(unit, amount);
  const { timeToExhaustionMs } = burnRate;
  return {
    unit,
    window,
    limit: limit === "unknown" ? limit : units(limit),
    used: units(used),
    perSecond: units(burnRate.perSecond),
    timeToExhaustionMs,
    ...(timeToExhaustionMs !== null &&
      limit !== "unknown" && {
        exhaustedAt: Math.ceil(generatedAt + timeToExhaustionMs),
        exhaustedUsed: units((samples.at(-1)?.used ?? 0) + Math.max(0, limit - used)),
      }),
    samples: samples.map((sample) => ({
      at: sample.at,
      used: units(sample.used),
      perSecond: units(sample.perSecond),
    })),
  };
}
