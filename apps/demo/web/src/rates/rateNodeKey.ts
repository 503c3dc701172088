import type { RateKind } from "./useRates.js";

/** Tells a node from all others: an organisation, a team and a key may bear one id. */
export function rateNodeKey({ kind, id }: { readonly kind: RateKind; readonly id: string }): string {
  return `${kind}:${id}`;
}
