import type { Fault, Parsed } from "@quota/core";
import { changedLimits, type RateLimits, type RateLimitsAsked } from "./rateLimits.js";
import { unknownOwner } from "./unknownOwner.js";

/** Where a key stands in the rate plan, and its own limits. */
export interface KeyPlace extends RateLimits {
  readonly teamId: string | null;
  /** Of a key in a team: the team's, whatever that is. */
  readonly orgId: string | null;
}

/** What may be asked for. A member left out stays as it is; `null` takes away. */
export interface KeyPlaceAsked extends RateLimitsAsked {
  readonly teamId?: string | null | undefined;
  readonly orgId?: string | null | undefined;
}

/** Of a key that belongs to nobody. */
export const NO_PLACE: KeyPlace = { teamId: null, orgId: null, rpm: null, tpm: null };

/**
 * Where a key stands after a change. In a team it takes the team's organisation, and to ask for another is a contradiction; when it
 * leaves the team it stays in that organisation unless the change says otherwise, so that no limit is lost by the way.
 */
export function changedPlace(
  before: KeyPlace,
  asked: KeyPlaceAsked,
  known: {
    readonly team: (id: string) => { readonly orgId: string | null } | undefined;
    readonly organisation: (id: string) => unknown;
  },
): Parsed<KeyPlace> {
  const faults: Fault[] = [];
  const teamId = asked.teamId === undefined ? before.teamId : asked.teamId;
  const team = teamId === null ? undefined : known.team(teamId);
  if (teamId !== null && team === undefined) faults.push(unknownOwner("team", teamId));
  if (asked.orgId != null && known.organisation(asked.orgId) === undefined)
    faults.push(unknownOwner("organisation", asked.orgId));
  else if (team !== undefined && asked.orgId !== undefined && asked.orgId !== team.orgId)
    faults.push(contradiction(teamId!, team.orgId));
  if (faults.length > 0) return { ok: false, faults };

  const ownOrg = asked.orgId === undefined ? before.orgId : asked.orgId;
  return {
    ok: true,
    value: { teamId, orgId: team === undefined ? ownOrg : team.orgId, ...changedLimits(before, asked) },
  };
}

function contradiction(teamId: string, orgId: string | null): Fault {
  const where = orgId === null ? "no organisation" : `the organisation ${JSON.stringify(orgId)}`;
  const message = `orgId contradicts the team ${JSON.stringify(teamId)}, which is in ${where} with all of its keys; leave orgId out, or move the team.`;
  return { path: "orgId", code: "organisation-of-team", message };
}
