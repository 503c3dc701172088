/**
 * Whose use a rule must see of each dimension to decide: the asking key's own, everybody's. Which counters a request reads
 * follows from this list, so that a rule that looks further costs only those who choose it.
 */
export type Tally = "key" | "everyone";

/** How a pool lends idle shares. */
export type Lending = "threshold";

/** What each lending rule needs to see. */
export const TALLIES: Readonly<Record<Lending, readonly Tally[]>> = Object.freeze({
  threshold: Object.freeze(["key", "everyone"] as const),
});
