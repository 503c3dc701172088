import type { Fault } from "@quota/core";

interface Named {
  readonly id: string;
}

/** What a configuration refers to. */
export interface References {
  readonly connections: readonly Named[];
  readonly plans: readonly { readonly connectionId: string }[];
  readonly organisations: readonly Named[];
  readonly teams: readonly (Named & { readonly orgId?: string | null | undefined })[];
  readonly keys: readonly (Named & {
    readonly secretHash: string;
    readonly teamId?: string | null | undefined;
    readonly orgId?: string | null | undefined;
  })[];
  readonly pools: readonly (Named & { readonly connectionId: string; readonly incarnation: string })[];
}

/** Every id that stands twice, and every name that leads to nothing in the same configuration. */
export function strayReferences(config: References): readonly Fault[] {
  const { connections, plans, organisations, teams, keys, pools } = config;
  const faults: Fault[] = [];
  const add = (path: string, code: string, message: string): void =>
    void faults.push({ path, code, message: `${path} ${message}` });

  function unique(place: string, member: string, values: readonly string[]): void {
    const seen = new Set<string>();
    values.forEach((value, i) => {
      if (seen.has(value))
        add(`${place}[${i}].${member}`, "duplicate", "stands there already; leave one of them out.");
      seen.add(value);
    });
  }

  function known(
    place: string,
    names: readonly (string | null | undefined)[],
    things: readonly Named[],
  ): void {
    const ids = new Set(things.map(({ id }) => id));
    const [list, member] = place.split(".") as [string, string];
    names.forEach((name, i) => {
      if (name != null && !ids.has(name))
        add(`${list}[${i}].${member}`, "unknown", "is not in this configuration; add it, or spell it right.");
    });
  }

  for (const [place, things] of Object.entries({ connections, organisations, teams, keys, pools }))
    unique(
      place,
      "id",
      things.map(({ id }) => id),
    );
  unique(
    "plans",
    "connectionId",
    plans.map(({ connectionId }) => connectionId),
  );
  unique(
    "pools",
    "connectionId",
    pools.map(({ connectionId }) => connectionId),
  );
  unique(
    "pools",
    "incarnation",
    pools.map(({ incarnation }) => incarnation),
  );
  unique(
    "keys",
    "secretHash",
    keys.map(({ secretHash }) => secretHash),
  );
  known(
    "plans.connectionId",
    plans.map(({ connectionId }) => connectionId),
    connections,
  );
  known(
    "pools.connectionId",
    pools.map(({ connectionId }) => connectionId),
    connections,
  );
  known(
    "teams.orgId",
    teams.map(({ orgId }) => orgId),
    organisations,
  );
  known(
    "keys.teamId",
    keys.map(({ teamId }) => teamId),
    teams,
  );
  known(
    "keys.orgId",
    keys.map(({ orgId }) => orgId),
    organisations,
  );
  const orgIds = new Set(organisations.map(({ id }) => id));
  const teamById = new Map(teams.map((team) => [team.id, team]));
  keys.forEach(({ teamId, orgId }, i) => {
    const team = teamId == null ? undefined : teamById.get(teamId);
    if (team === undefined || orgId === undefined) return;
    const teamsOrg = team.orgId ?? null;
    // A team that leads nowhere has a fault of its own.
    if (orgId !== teamsOrg && (teamsOrg === null || orgIds.has(teamsOrg)))
      add(
        `keys[${i}].orgId`,
        "organisation-of-team",
        "contradicts the team, which is in its organisation with all of its keys; leave it out, or say the same.",
      );
  });
  return faults;
}
