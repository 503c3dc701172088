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

/** What a use would amount to at `now` if nothing were held, in grains. */
export function settledAt(use: Use, now: EpochMs): number {
  if (typeof use === "number") return use;
  const { buckets, amounts } = use;
  let sum = 0;
  for (let i = 0; i < buckets.length; i += 1) {
    const amount = amounts[i]!;
    if (amount !== 0 && buckets[i]!.holds !== "held") sum += amount * bucketWeight(buckets[i]!, now);
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
  let own = 0;
  let held = 0;
  let everybodys = 0;
  if (typeof used === "number" || typeof total === "number" || used.buckets !== total.buckets) {
    own = useAt(used, now);
    held = heldAt(used, now);
    everybodys = useAt(total, now);
  } else {
    const { buckets, amounts } = used;
    for (let i = 0; i < buckets.length; i += 1) {
      const ownAmount = amounts[i]!;
      const everybodysAmount = total.amounts[i]!;
      if (ownAmount === 0 && everybodysAmount === 0) continue;
      const bucket = buckets[i]!;
      const weight = bucketWeight(bucket, now);
      own += ownAmount * weight;
      everybodys += everybodysAmount * weight;
      if (bucket.holds === "held") held += ownAmount * weight;
    }
  }
  return { used: own, held, total: everybodys };
}
