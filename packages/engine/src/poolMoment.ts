import {
  currentBucket,
  leaseGenerations,
  TALLIES,
  windowBuckets,
  type Bucket,
  type Dimension,
  type EpochMs,
  type GovernedPool,
} from "@quota/core";
import { everyoneCounter, keyCounter } from "./counterId.js";
import type { Counter, CounterId } from "./usageStore.js";

/** Which counters the requests to a pool read, for as long as its buckets and generations stay the same. */
export interface PoolMoment {
  readonly goodFrom: EpochMs;
  readonly goodUntil: EpochMs;
  readonly dimensions: readonly DimensionMoment[];
  /** What a request by this key must see. */
  sheetOf(apiKeyId: string): CounterSheet;
}

/** One dimension of a {@link PoolMoment}. */
export interface DimensionMoment {
  readonly dimension: Dimension;
  /** The window's buckets, then the generations of holds; both newest first, both with the next one at their head. */
  readonly buckets: readonly Bucket[];
  /** Where in `buckets` use is added. */
  readonly settledAt: number;
  /** Where in `buckets` holds are added. */
  readonly heldAt: number;
  readonly everyone: readonly Counter[];
}

/**
 * The counters of one request, flat: per dimension, in order, what the lending rule must see. Under `threshold` that is
 * first the key's (aligned with the dimension's buckets), then everybody's (aligned alike).
 */
export interface CounterSheet {
  readonly apiKeyId: string;
  readonly counters: readonly Counter[];
}

/** Above this many counters (20 000 keys in two dimensions of the default shape) sheets are made anew, so that memory stays bounded. */
const MAX_COUNTERS = 480_000;

/** Lays out the counters of a pool at `now`. */
export function poolMoment(
  governed: Pick<GovernedPool, "dimensions" | "lending">,
  leaseMs: number,
  now: EpochMs,
): PoolMoment {
  const generations = leaseGenerations(leaseMs, now);
  let goodFrom = currentBucket(leaseMs, now) * leaseMs;
  let goodUntil = goodFrom + leaseMs;
  const dimensions = governed.dimensions.map((dimension): DimensionMoment => {
    const window = windowBuckets(dimension.shape, now);
    const buckets = [...window, ...generations];
    const { slotMs } = dimension.shape;
    const slotStart = currentBucket(slotMs, now) * slotMs;
    goodFrom = Math.max(goodFrom, slotStart);
    goodUntil = Math.min(goodUntil, slotStart + slotMs);
    const everyone = countersOf({ dimension, buckets }, (holds) => everyoneCounter(dimension, holds));
    return { dimension, buckets, settledAt: 1, heldAt: window.length + 1, everyone };
  });
  const sheets = new Map<string, CounterSheet>();
  const talliesOf = (moment: DimensionMoment, apiKeyId: string): readonly Counter[] =>
    TALLIES[governed.lending].flatMap((tally) =>
      tally === "key" ? keyCounters(moment, apiKeyId) : moment.everyone,
    );
  return {
    goodFrom,
    goodUntil,
    dimensions,
    sheetOf(apiKeyId) {
      let sheet = sheets.get(apiKeyId);
      if (sheet === undefined) {
        const counters = dimensions.flatMap((moment) => talliesOf(moment, apiKeyId));
        if ((sheets.size + 1) * counters.length > MAX_COUNTERS) sheets.clear();
        sheet = { apiKeyId, counters };
        sheets.set(apiKeyId, sheet);
      }
      return sheet;
    },
  };
}

/** A key's counters in one dimension, aligned with the dimension's buckets. */
export function keyCounters(moment: DimensionMoment, apiKeyId: string): readonly Counter[] {
  return countersOf(moment, (holds) => keyCounter(apiKeyId, moment.dimension, holds));
}

/** A bucket is kept for as long as any window cut in such slots would look at it: a fixed window may become a rolling one. */
function countersOf(
  { dimension, buckets }: Pick<DimensionMoment, "dimension" | "buckets">,
  idOf: (holds: Bucket["holds"]) => CounterId,
): readonly Counter[] {
  const { slotMs, slots } = dimension.shape;
  const ids = { settled: idOf("settled"), held: idOf("held") };
  return buckets.map(({ holds, index, goneAt }) => ({
    id: ids[holds],
    bucket: index,
    expiresAt: holds === "held" ? goneAt : (index + slots + 1) * slotMs,
  }));
}
