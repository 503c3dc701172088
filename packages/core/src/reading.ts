import { bucketWeight, type Bucket } from "./window.js";
import type { EpochMs } from "./units.js";

/** A use at one moment that also knows how it will fade: amounts in weighted buckets, settled ones and held ones. */
export interface Reading {
  readonly buckets: readonly Bucket[];
  /** Grains, aligned with `buckets`. */
  readonly amounts: readonly number[];
}

/** A use: a reading, or a plain number of grains that is settled and never fades. */
export type Use = number | Reading;

/**
 * What a use amounts to at `now`, in grains; fractional where a bucket is fading.
 *
 * @example
 * const [, current, previous] = windowBuckets({ slotMs: 100, slots: 1, edge: "weighted" }, 125);
 * useAt({ buckets: [current, previous], amounts: [7, 40] }, 125); // 7 + 40 × 0.75 = 37
 */
export function useAt(use: Use, now: EpochMs): number {
  if (typeof use === "number") return use;
  const { buckets, amounts } = use;
  let sum = 0;
  for (let i = 0; i < buckets.length; i += 1) {
    const amount = amounts[i]!;
    if (amount !== 0) sum += amount * bucketWeight(buckets[i]!, now);
  }
  return sum;
}

/** The part of a use that is held for requests still in flight, in grains. */
export function heldAt(use: Use, now: EpochMs): number {
  if (typeof use === "number") return 0;
  const { buckets, amounts } = use;
  let sum = 0;
  for (let i = 0; i < buckets.length; i += 1) {
    const amount = amounts[i]!;
    if (amount !== 0 && buckets[i]!.holds === "held") sum += amount * bucketWeight(buckets[i]!, now);
  }
  return sum;
}

/**
 * {@link useAt} of both uses and {@link heldAt} of the key's. A request's two readings lie over the same buckets, whose
 * weights are then computed once.
 */
export function usesAt(
  { used, total }: { readonly used: Use; readonly total: Use },
  now: EpochMs,
): { readonly used: number; readonly held: number; readonly total: number } {
  if (typeof used === "number" || typeof total === "number" || used.buckets !== total.buckets)
    return { used: useAt(used, now), held: heldAt(used, now), total: useAt(total, now) };
  const { buckets } = used;
  const sums = { used: 0, held: 0, total: 0 };
  for (let i = 0; i < buckets.length; i += 1) {
    const own = used.amounts[i]!;
    const everybodys = total.amounts[i]!;
    if (own === 0 && everybodys === 0) continue;
    const bucket = buckets[i]!;
    const weight = bucketWeight(bucket, now);
    sums.used += own * weight;
    sums.total += everybodys * weight;
    if (bucket.holds === "held") sums.held += own * weight;
  }
  return sums;
}

/** The same use without what is held. */
export function settledOnly(use: Use): Use {
  if (typeof use === "number") return use;
  return {
    buckets: use.buckets,
    amounts: use.amounts.map((amount, i) => (use.buckets[i]!.holds === "held" ? 0 : amount)),
  };
}
