import type { GatewayRows, Members, RateRow, StoredKey } from "./gatewayTables.js";

/** What is read out of the tables as a whole, where they are at hand. */
export function derivedRows({
  organisations,
  teams,
  keys,
}: Pick<GatewayRows, "organisations" | "teams" | "keys">): Pick<GatewayRows, "membersOf" | "rateRows"> {
  return {
    membersOf({ kind, id }): Members {
      const isMember = (key: StoredKey): boolean => (kind === "team" ? key.teamId : key.ownOrgId) === id;
      const inOrganisation = kind === "team" ? [] : teams.list().filter(({ orgId }) => orgId === id);
      return { teams: idsOf(inOrganisation), keys: idsOf(keys.list().filter(isMember)) };
    },
    rateRows() {
      const rows: RateRow[] = [];
      for (const { id, rpm, tpm } of organisations.list())
        rows.push({ kind: "organisation", id, teamId: null, orgId: null, rpm, tpm });
      for (const { id, orgId, rpm, tpm } of teams.list())
        rows.push({ kind: "team", id, teamId: null, orgId, rpm, tpm });
      for (const { id, teamId, ownOrgId, rpm, tpm } of keys.list())
        if (teamId !== null || ownOrgId !== null || rpm !== null || tpm !== null)
          rows.push({ kind: "key", id, teamId, orgId: ownOrgId, rpm, tpm });
      return rows;
    },
  };
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id).sort();
}
