/** What became of a thing that was to be deleted. What others still belong to stays, and they are named. */
export type Deletion =
  | { readonly kind: "deleted" }
  | { readonly kind: "missing" }
  | { readonly kind: "in-use"; readonly teams: readonly string[]; readonly keys: readonly string[] };
