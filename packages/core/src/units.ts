/** What a dimension counts. */
export type Unit = "percent" | "requests" | "tokens" | "usd";

/** Every unit, in the order in which pages list them and ties between dimensions are broken. */
export const UNITS: readonly Unit[] = ["percent", "requests", "tokens", "usd"];

/**
 * How many grains make one unit. A *grain* is the smallest amount that is ever stored: one request, one token, a
 * millionth of a percent, a nano-dollar. Whole grains add up exactly where doubles do not (0.1 + 0.7 < 0.8).
 */
export const GRAINS_PER_UNIT: Readonly<Record<Unit, number>> = Object.freeze({
  percent: 1_000_000,
  requests: 1,
  tokens: 1,
  usd: 1_000_000_000,
});

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;
