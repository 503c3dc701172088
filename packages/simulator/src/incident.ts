/** Something that happens to a pool beside its requests. */
export type Incident = {
  /** Milliseconds from the beginning. */
  readonly at: number;
} & (
  | {
      readonly what: "weights";
      /** The keys' new weights, in their order, in percent of the pool. */
      readonly weights: readonly number[];
    }
  | {
      readonly what: "outside";
      /** What the account's owner has used of this window by then, in requests: the provider tells it in its next reading. */
      readonly used: number;
    }
);
