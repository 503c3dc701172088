/** How a pool lends, as people write it. */
export type LendingSpec =
  | "threshold"
  | "reserve"
  | "static"
  | "open"
  | { readonly rule: "reserve"; readonly curve?: "pace" | { readonly hold: number } };

/** A rule that is tried, and what tables call it. */
export interface TriedRule {
  readonly name: string;
  readonly lending: LendingSpec;
}
