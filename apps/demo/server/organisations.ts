import type { QuotaDatabase } from "@quota/sqlite";
import type { Deletion } from "./deletion.js";
import type { RateForest } from "./rateForest.js";
import { changedLimits, type RateLimits, type RateLimitsAsked } from "./rateLimits.js";

/** A root of the rate plan: teams belong to it, and keys without a team may. */
export interface Organisation extends RateLimits {
  readonly id: string;
  readonly name: string;
  /** Grows with every change; what an edit was based on. */
  readonly version: number;
  readonly createdAt: string;
}

/** The organisations, in the gateway's database. Another process's changes are seen at once. */
export interface Organisations {
  get(id: string): Organisation | undefined;
  list(): readonly Organisation[];
  /** @returns undefined when the id is taken. */
  create(
    organisation: RateLimitsAsked & { readonly id: string; readonly name?: string | undefined },
    now: number,
  ): Promise<Organisation | undefined>;
  /** @returns the organisation as it is now; `"stale"`, and nothing is written, when `ifVersion` is not its version any more. */
  update(
    id: string,
    change: RateLimitsAsked & { readonly name?: string | undefined },
    ifVersion?: number,
  ): Promise<Organisation | "stale" | undefined>;
  delete(id: string): Promise<Deletion>;
}

export function createOrganisations({ connection: db }: QuotaDatabase, forest: RateForest): Organisations {
  const byId = db.prepare<[string], Row>("SELECT * FROM organisations WHERE id = ?");
  const all = db.prepare<[], Row>("SELECT * FROM organisations ORDER BY created_at, id");
  const insert = db.prepare(
    "INSERT INTO organisations (id, name, rpm, tpm, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const replace = db.prepare(
    "UPDATE organisations SET name = ?, rpm = ?, tpm = ?, version = version + 1 WHERE id = ?",
  );
  const remove = db.prepare("DELETE FROM organisations WHERE id = ?");
  const teamsIn = db
    .prepare<[string], string>("SELECT id FROM teams WHERE organisation_id = ? ORDER BY id")
    .pluck();
  const keysIn = db
    .prepare<[string], string>(
      "SELECT api_key_id FROM api_key_places WHERE organisation_id = ? ORDER BY api_key_id",
    )
    .pluck();

  const get = (id: string): Organisation | undefined => organisationOf(byId.get(id));

  return {
    get,
    list: () => all.all().map((row) => organisationOf(row)!),
    create: ({ id, name = id, rpm = null, tpm = null }, now) =>
      forest.write((touch) => {
        if (insert.run(id, name, rpm, tpm, now).changes === 0) return undefined;
        touch();
        return get(id);
      }),
    update: (id, change, ifVersion) =>
      forest.write((touch) => {
        const before = byId.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        const { rpm, tpm } = changedLimits(before, change);
        replace.run(change.name ?? before.name, rpm, tpm, id);
        touch();
        return get(id);
      }),
    delete: (id) =>
      forest.write((touch): Deletion => {
        if (byId.get(id) === undefined) return { kind: "missing" };
        const [teams, keys] = [teamsIn.all(id), keysIn.all(id)];
        if (teams.length + keys.length > 0) return { kind: "in-use", teams, keys };
        remove.run(id);
        touch();
        return { kind: "deleted" };
      }),
  };
}

interface Row extends RateLimits {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly created_at: number;
}

function organisationOf(row: Row | undefined): Organisation | undefined {
  if (row === undefined) return undefined;
  const { id, name, rpm, tpm, version, created_at } = row;
  return { id, name, rpm, tpm, version, createdAt: new Date(created_at).toISOString() };
}
