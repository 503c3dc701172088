import type { Deletion } from "./deletion.js";
import type { RateForest } from "./rateForest.js";
import { changedLimits, type RateLimits, type RateLimitsAsked } from "./rateLimits.js";
import type { GatewayTables, StoredOrganisation } from "./tables/gatewayTables.js";

/** A root of the rate plan: teams belong to it, and keys without a team may. */
export interface Organisation extends RateLimits {
  readonly id: string;
  readonly name: string;
  /** Grows with every change; what an edit was based on. */
  readonly version: number;
  readonly createdAt: string;
}

/** The organisations, in the gateway's database. */
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

export function createOrganisations(
  { rows }: Pick<GatewayTables, "rows">,
  forest: RateForest,
): Organisations {
  return {
    get: (id) => shownOr(rows.organisations.get(id)),
    list: () => rows.organisations.list().map(shown),
    create: ({ id, name = id, rpm = null, tpm = null }, now) =>
      forest.write(({ organisations }, touch) => {
        if (organisations.get(id) !== undefined) return undefined;
        const made = { id, name, rpm, tpm, version: 1, createdAt: now };
        organisations.put(made);
        touch();
        return shown(made);
      }),
    update: (id, change, ifVersion) =>
      forest.write(({ organisations }, touch) => {
        const before = organisations.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        const after = {
          ...before,
          ...changedLimits(before, change),
          name: change.name ?? before.name,
          version: before.version + 1,
        };
        organisations.put(after);
        touch();
        return shown(after);
      }),
    delete: (id) =>
      forest.write(({ organisations, membersOf }, touch): Deletion => {
        if (organisations.get(id) === undefined) return { kind: "missing" };
        const { teams, keys } = membersOf({ kind: "organisation", id });
        if (teams.length + keys.length > 0) return { kind: "in-use", teams, keys };
        organisations.delete(id);
        touch();
        return { kind: "deleted" };
      }),
  };
}

function shown({ createdAt, ...organisation }: StoredOrganisation): Organisation {
  return { ...organisation, createdAt: new Date(createdAt).toISOString() };
}

function shownOr(row: StoredOrganisation | undefined): Organisation | undefined {
  return row && shown(row);
}
