import { InvalidInputError } from "@quota/engine";
import type { Deletion } from "./deletion.js";
import type { RateForest } from "./rateForest.js";
import { changedLimits, type RateLimits, type RateLimitsAsked } from "./rateLimits.js";
import type { GatewayTables, StoredOrganisation, StoredTeam, Table } from "./tables/gatewayTables.js";
import { unknownOwner } from "./unknownOwner.js";

/** Several keys under one limit, perhaps in an organisation. */
export interface Team extends RateLimits {
  readonly id: string;
  readonly name: string;
  /** The organisation it belongs to, with every key in it. */
  readonly orgId: string | null;
  /** Grows with every change; what an edit was based on. */
  readonly version: number;
  readonly createdAt: string;
}

interface TeamAsked extends RateLimitsAsked {
  readonly name?: string | undefined;
  readonly orgId?: string | null | undefined;
}

/** The teams, in the gateway's database. */
export interface Teams {
  get(id: string): Team | undefined;
  list(): readonly Team[];
  /** @returns undefined when the id is taken. @throws {InvalidInputError} for an organisation that is not there. */
  create(team: TeamAsked & { readonly id: string }, now: number): Promise<Team | undefined>;
  /**
   * @returns the team as it is now; `"stale"`, and nothing is written, when `ifVersion` is not its version any more.
   * @throws {InvalidInputError} for an organisation that is not there.
   */
  update(id: string, change: TeamAsked, ifVersion?: number): Promise<Team | "stale" | undefined>;
  delete(id: string): Promise<Deletion>;
}

export function createTeams({ rows }: Pick<GatewayTables, "rows">, forest: RateForest): Teams {
  return {
    get: (id) => shownOr(rows.teams.get(id)),
    list: () => rows.teams.list().map(shown),
    create: ({ id, name = id, orgId = null, rpm = null, tpm = null }, now) =>
      forest.write(({ organisations, teams }, touch) => {
        refuseUnknown(orgId, organisations);
        if (teams.get(id) !== undefined) return undefined;
        const made = { id, name, orgId, rpm, tpm, version: 1, createdAt: now };
        teams.put(made);
        touch();
        return shown(made);
      }),
    update: (id, change, ifVersion) =>
      forest.write(({ organisations, teams }, touch) => {
        const before = teams.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        refuseUnknown(change.orgId, organisations);
        const after = {
          ...before,
          ...changedLimits(before, change),
          name: change.name ?? before.name,
          orgId: change.orgId === undefined ? before.orgId : change.orgId,
          version: before.version + 1,
        };
        teams.put(after);
        touch();
        return shown(after);
      }),
    delete: (id) =>
      forest.write(({ teams, membersOf }, touch): Deletion => {
        if (teams.get(id) === undefined) return { kind: "missing" };
        const { keys } = membersOf({ kind: "team", id });
        if (keys.length > 0) return { kind: "in-use", teams: [], keys };
        teams.delete(id);
        touch();
        return { kind: "deleted" };
      }),
  };
}

function refuseUnknown(orgId: string | null | undefined, organisations: Table<StoredOrganisation>): void {
  if (orgId != null && organisations.get(orgId) === undefined)
    throw new InvalidInputError([unknownOwner("organisation", orgId)]);
}

function shown({ createdAt, ...team }: StoredTeam): Team {
  return { ...team, createdAt: new Date(createdAt).toISOString() };
}

function shownOr(row: StoredTeam | undefined): Team | undefined {
  return row && shown(row);
}
