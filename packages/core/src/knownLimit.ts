/**
 * Whether a limit is a number of grains, not the word `"unknown"`. On the path of every request: asking for the type is a
 * few times cheaper than comparing what may be a number with a word.
 */
export function isKnown(limit: number | "unknown"): limit is number {
  return typeof limit === "number";
}
