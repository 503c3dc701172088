/** One thing that is wrong with an input: where, a stable code, and a sentence that ends with the remedy. */
export interface Fault {
  /** Where in the input, such as `allocations[2].weight`; empty for the input as a whole. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** A parsed value that can be trusted from here on, or everything that is wrong with the input, all at once. */
export type Parsed<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly faults: readonly Fault[] };
