import type { GatewayRows, StoredKey } from "./gatewayTables.js";

/** The organisation that a key is in: its team's, where it has a team. */
export function orgOf(
  { teamId, ownOrgId }: Pick<StoredKey, "teamId" | "ownOrgId">,
  teams: GatewayRows["teams"],
): string | null {
  return teamId === null ? ownOrgId : (teams.get(teamId)?.orgId ?? null);
}
