import type { ApiKeys } from "./apiKeys.js";
import type { Organisations } from "./organisations.js";
import type { RateKind } from "./rateNodeId.js";
import type { Teams } from "./teams.js";

/** Whoever may have limits, and to whom it belongs. */
export interface RateTreeOwner {
  readonly kind: RateKind;
  readonly id: string;
  readonly name: string;
  readonly parent: { readonly kind: RateKind; readonly id: string } | undefined;
  readonly version: number;
}

/** Organisations, teams and keys, parents before their children. */
export function rateTreeOwners(owners: {
  readonly organisations: Pick<Organisations, "list">;
  readonly teams: Pick<Teams, "list">;
  readonly keys: Pick<ApiKeys, "list">;
}): readonly RateTreeOwner[] {
  const organisation = (id: string | null) =>
    id === null ? undefined : ({ kind: "organisation", id } as const);
  return [
    ...owners.organisations.list().map(({ id, name, version }) => ({
      ...({ kind: "organisation", id, name, parent: undefined, version } as const),
    })),
    ...owners.teams.list().map(({ id, name, version, orgId }) => ({
      ...({ kind: "team", id, name, parent: organisation(orgId), version } as const),
    })),
    ...owners.keys.list().map(({ id, name, version, teamId, orgId }) => ({
      kind: "key" as const,
      id,
      name,
      parent: teamId === null ? organisation(orgId) : ({ kind: "team", id: teamId } as const),
      version,
    })),
  ];
}
