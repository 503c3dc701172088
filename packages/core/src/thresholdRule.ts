/** The used part of the limit at which a pool turns strict, unless it or the engine says otherwise. */
export const DEFAULT_SATURATION_THRESHOLD = 0.5;

/** Whether shares bind. */
export function isStrict(everyone: number, limit: number, threshold = DEFAULT_SATURATION_THRESHOLD): boolean {
  return everyone / limit >= threshold;
}

/** Whether the key has not used up its share. The request's own size does not count. */
export function isInsideShare(used: number, cost: number, share: number): boolean {
  return cost === 0 ? used <= share : used < share;
}
