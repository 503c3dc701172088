import type { RateKind } from "./useRates.js";

/** Where an organisation, a team or a key is read, changed and deleted. */
export function ratePath({ kind, id }: { readonly kind: RateKind; readonly id: string }): string {
  return `${RATE_PATHS[kind]}/${encodeURIComponent(id)}`;
}

/** Where they are listed and made. */
export const RATE_PATHS: Readonly<Record<RateKind, string>> = {
  organisation: "/api/orgs",
  team: "/api/teams",
  key: "/api/keys",
};
