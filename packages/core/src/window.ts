import type { EpochMs } from "./units.js";

/** The lengths of window that providers grant quotas for. */
export type WindowName = "5h" | "hourly" | "daily" | "weekly" | "monthly";

/** Every window, shortest first: the order in which pages list them and ties between dimensions are broken. */
export const WINDOWS: readonly WindowName[] = ["hourly", "5h", "daily", "weekly", "monthly"];

/** How long each window is. A month that is not anchored to a calendar is a *length* of 30 days, not a calendar month. */
export const WINDOW_MS: Readonly<Record<WindowName, number>> = Object.freeze({
  hourly: 3_600_000,
  "5h": 18_000_000,
  daily: 86_400_000,
  weekly: 604_800_000,
  monthly: 2_592_000_000,
});

/**
 * How a window is cut into buckets.
 * - `weighted`: rolling; the oldest bucket counts by the part of it that the window still covers. With one slot this is the
 *   two-bucket sliding counter `previous × (1 − elapsed / length) + current`.
 * - `full`: rolling; the oldest bucket counts whole. No true window of this length ever holds more than was allowed;
 *   room comes back up to one slot late.
 * - `fixed`: one bucket, counted whole. These are cut on multiples of the length since the epoch; another anchor's windows are laid by
 *   `fixedWindowAt`.
 */
export interface WindowShape {
  readonly slotMs: number;
  /** How many slots make the window (1 where it is fixed). */
  readonly slots: number;
  readonly edge: "weighted" | "full" | "fixed";
}

/**
 * One bucket of a window or one generation of holds: its number, and when what it holds stops counting. What is `provisional` is
 * reckoned until the provider says what it really was; it is as good as settled until then.
 */
export interface Bucket {
  readonly holds: "settled" | "held" | "provisional";
  readonly index: number;
  /** Counts whole before this moment … */
  readonly fadesFrom: EpochMs;
  /** … and not at all from this one on; linearly less in between. */
  readonly goneAt: EpochMs;
}

/**
 * The buckets that a reading at `now` must look at, newest first. The first is the *next* one, which is empty unless a
 * neighbour's clock is ahead of ours, or ours has stepped back: what was counted there still counts.
 *
 * @example
 * windowBuckets({ slotMs: 3_600_000, slots: 1, edge: "weighted" }, 5_400_000).map((bucket) => bucket.index); // [2, 1, 0]
 */
export function windowBuckets(shape: WindowShape, now: EpochMs): readonly Bucket[] {
  const current = currentBucket(shape.slotMs, now);
  const oldest = current - (shape.edge === "fixed" ? 0 : shape.slots);
  const buckets: Bucket[] = [];
  for (let index = current + 1; index >= oldest; index -= 1) buckets.push(windowBucket(shape, index));
  return buckets;
}

/** The bucket with this number of a window of this shape. */
export function windowBucket(shape: WindowShape, index: number): Bucket {
  const { slotMs, slots, edge } = shape;
  const goneAt = (edge === "fixed" ? index + 1 : index + slots + 1) * slotMs;
  return { holds: "settled", index, fadesFrom: edge === "weighted" ? goneAt - slotMs : goneAt, goneAt };
}

/**
 * The lease generations whose holds count at `now`: the next (a neighbour whose clock is ahead), the current and the
 * previous one. A hold counts whole until its generation is two behind, then not at all.
 */
export function leaseGenerations(leaseMs: number, now: EpochMs): readonly Bucket[] {
  const current = currentBucket(leaseMs, now);
  return [
    leaseGeneration(leaseMs, current + 1),
    leaseGeneration(leaseMs, current),
    leaseGeneration(leaseMs, current - 1),
  ];
}

/** The lease generation with this number. */
export function leaseGeneration(leaseMs: number, index: number): Bucket {
  const goneAt = (index + 2) * leaseMs;
  return { holds: "held", index, fadesFrom: goneAt, goneAt };
}

/** The number of the bucket, of buckets this long, that `now` lies in. */
export function currentBucket(bucketMs: number, now: EpochMs): number {
  return Math.floor(now / bucketMs);
}

/** How much of a bucket's amount counts at `now`, from 0 to 1. Never more than 1, whatever the clock does. */
export function bucketWeight(bucket: Bucket, now: EpochMs): number {
  if (now <= bucket.fadesFrom) return now < bucket.goneAt ? 1 : 0;
  if (now >= bucket.goneAt) return 0;
  return 1 - (now - bucket.fadesFrom) / (bucket.goneAt - bucket.fadesFrom);
}
