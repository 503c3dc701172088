import { InvalidInputError } from "@quota/engine";
import type { QuotaDatabase } from "@quota/sqlite";
import type { Deletion } from "./deletion.js";
import type { RateForest } from "./rateForest.js";
import { changedLimits, type RateLimits, type RateLimitsAsked } from "./rateLimits.js";
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

/** The teams, in the gateway's database. Another process's changes are seen at once. */
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

export function createTeams({ connection: db }: QuotaDatabase, forest: RateForest): Teams {
  const byId = db.prepare<[string], Row>("SELECT * FROM teams WHERE id = ?");
  const all = db.prepare<[], Row>("SELECT * FROM teams ORDER BY created_at, id");
  const insert = db.prepare(
    "INSERT INTO teams (id, name, organisation_id, rpm, tpm, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const replace = db.prepare(
    "UPDATE teams SET name = ?, organisation_id = ?, rpm = ?, tpm = ?, version = version + 1 WHERE id = ?",
  );
  const remove = db.prepare("DELETE FROM teams WHERE id = ?");
  const organisation = db.prepare<[string]>("SELECT 1 FROM organisations WHERE id = ?");
  const keysIn = db
    .prepare<[string], string>("SELECT api_key_id FROM api_key_places WHERE team_id = ? ORDER BY api_key_id")
    .pluck();

  const get = (id: string): Team | undefined => teamOf(byId.get(id));

  function refuseUnknown(orgId: string | null | undefined): void {
    if (orgId != null && organisation.get(orgId) === undefined)
      throw new InvalidInputError([unknownOwner("organisation", orgId)]);
  }

  return {
    get,
    list: () => all.all().map((row) => teamOf(row)!),
    create: ({ id, name = id, orgId = null, rpm = null, tpm = null }, now) =>
      forest.write((touch) => {
        refuseUnknown(orgId);
        if (insert.run(id, name, orgId, rpm, tpm, now).changes === 0) return undefined;
        touch();
        return get(id);
      }),
    update: (id, change, ifVersion) =>
      forest.write((touch) => {
        const before = byId.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        refuseUnknown(change.orgId);
        const orgId = change.orgId === undefined ? before.organisation_id : change.orgId;
        const { rpm, tpm } = changedLimits(before, change);
        replace.run(change.name ?? before.name, orgId, rpm, tpm, id);
        touch();
        return get(id);
      }),
    delete: (id) =>
      forest.write((touch): Deletion => {
        if (byId.get(id) === undefined) return { kind: "missing" };
        const keys = keysIn.all(id);
        if (keys.length > 0) return { kind: "in-use", teams: [], keys };
        remove.run(id);
        touch();
        return { kind: "deleted" };
      }),
  };
}

interface Row extends RateLimits {
  readonly id: string;
  readonly name: string;
  readonly organisation_id: string | null;
  readonly version: number;
  readonly created_at: number;
}

function teamOf(row: Row | undefined): Team | undefined {
  if (row === undefined) return undefined;
  const { id, name, organisation_id: orgId, rpm, tpm, version, created_at } = row;
  return { id, name, orgId, rpm, tpm, version, createdAt: new Date(created_at).toISOString() };
}
