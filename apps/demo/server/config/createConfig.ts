import { allocationSpec, dimensionSpec, lendingSpec, type Pool } from "@quota/core";
import type { PlanOverrides, PoolDirectory } from "@quota/engine";
import { SIMULATOR } from "../connections.js";
import { freeOrdinal } from "../freeOrdinal.js";
import { orgOf } from "../tables/orgOf.js";
import type {
  GatewayRows,
  GatewayTables,
  StoredConnection,
  StoredKey,
  WritableRows,
  WritableTable,
} from "../tables/gatewayTables.js";
import type { ConfiguredPool, GatewayConfig, ParsedConfig } from "./gatewayConfig.js";

/** The configuration in a database, as a whole. */
export interface Config {
  read(): Promise<GatewayConfig>;
  /** Puts another one in the place of all of it, or changes nothing. What was counted stays with pools that keep their incarnation. */
  replace(config: ParsedConfig): Promise<void>;
}

/** Over the gateway's tables, with the pools and plans of the same database. */
export function createConfig({
  tables,
  pools,
  plans,
}: {
  readonly tables: Pick<GatewayTables, "reading" | "write">;
  readonly pools: Pick<PoolDirectory, "list">;
  readonly plans: Pick<PlanOverrides, "list">;
}): Config {
  return {
    async read() {
      const [storedPools, storedPlans] = await Promise.all([pools.list(), plans.list()]);
      return tables.reading((rows) => ({
        format: 1,
        connections: byId(rows.connections.list().map((row) => connectionOf(row, rows))),
        plans: [...storedPlans]
          .map(([connectionId, dimensions]) => ({ connectionId, dimensions: dimensions.map(dimensionSpec) }))
          .sort(by(({ connectionId }) => connectionId)),
        organisations: byId(rows.organisations.list()),
        teams: byId(rows.teams.list()),
        keys: byId(rows.keys.list().map((row) => keyOf(row, rows))),
        pools: byId(storedPools.map(poolOf)),
        ratePlanRevision: rows.ratePlanRevision(),
      }));
    },
    replace: (config) =>
      tables.write((rows) => {
        replaceKeys(rows, config);
        // Whoever keeps the rate plan at hand looks at its revision: it rises, and to at least the one that comes along.
        rows.raiseRatePlan({ by: 1, least: config.ratePlanRevision });
        rows.replacePoolsAndPlans(config);
        // Last, since secrets go with their connections.
        for (const {
          id,
          baseUrl,
          models = null,
          dialects = null,
          prices = null,
          ...life
        } of config.connections)
          rows.connections.put({
            id,
            provider: life.provider,
            baseUrl: baseUrl === SIMULATOR ? null : baseUrl,
            models,
            dialects,
            prices,
            version: life.version,
            createdAt: life.createdAt,
          });
        deleteOthers(rows.connections, config.connections);
      }),
  };
}

/** Keys that stay keep their numbers; those of the others are free before the new ones are numbered. */
function replaceKeys(
  { keys, teams, organisations }: WritableRows,
  config: Pick<ParsedConfig, "keys" | "teams" | "organisations">,
): void {
  const ordinals = new Map(keys.list().map(({ id, ordinal }) => [id, ordinal]));
  for (const id of ordinals.keys()) keys.delete(id);
  for (const owner of config.organisations) organisations.put(ownerRow(owner));
  for (const team of config.teams) teams.put({ ...ownerRow(team), orgId: team.orgId ?? null });
  deleteOthers(teams, config.teams);
  deleteOthers(organisations, config.organisations);
  const numbered = newOrdinals(config.keys.flatMap(({ id }) => ordinals.get(id) ?? []));
  for (const key of config.keys) {
    const teamId = key.teamId ?? null;
    keys.put({
      ...ownerRow(key),
      secretHash: key.secretHash,
      disabled: key.disabled,
      loopbackOnly: key.loopbackOnly,
      teamId,
      // Of a key in a team it is the team's.
      ownOrgId: teamId === null ? (key.orgId ?? null) : null,
      ordinal: ordinals.get(key.id) ?? numbered(),
    });
  }
}

/** Numbers that are not among these, each smaller than the next. */
function newOrdinals(staying: readonly number[]): () => number {
  const inUse = new Set(staying);
  let next = 0;
  return () => {
    next = freeOrdinal(inUse, next);
    return next++;
  };
}

function deleteOthers<Row extends { readonly id: string }>(
  table: WritableTable<Row>,
  staying: readonly { readonly id: string }[],
): void {
  const ids = new Set(staying.map(({ id }) => id));
  for (const { id } of table.list()) if (!ids.has(id)) table.delete(id);
}

function connectionOf(row: StoredConnection, rows: GatewayRows): GatewayConfig["connections"][number] {
  const { id, provider, baseUrl, models, dialects, prices, version, createdAt } = row;
  return {
    id,
    provider,
    baseUrl: baseUrl ?? SIMULATOR,
    ...(models !== null && { models: [...models] }),
    ...(dialects !== null && { dialects: [...dialects] }),
    ...(prices !== null && { prices: [...prices] }),
    version,
    createdAt,
    secret: (rows.authOf(id)?.kind ?? "none") === "none" ? "none" : "to be set",
  };
}

function keyOf(row: StoredKey, { teams }: GatewayRows): GatewayConfig["keys"][number] {
  const { id, name, secretHash, disabled, loopbackOnly, teamId, ownOrgId, rpm, tpm, version, createdAt } =
    row;
  const orgId = orgOf({ teamId, ownOrgId }, teams);
  return { id, name, secretHash, disabled, loopbackOnly, teamId, orgId, rpm, tpm, version, createdAt };
}

function ownerRow(owner: GatewayConfig["organisations"][number]) {
  const { id, name = id, rpm = null, tpm = null, version, createdAt } = owner;
  return { id, name, rpm, tpm, version, createdAt };
}

function poolOf(pool: Pool): ConfiguredPool {
  const { id, incarnation, connectionId, name, unallocated, saturationThreshold, whenStoreFails } = pool;
  const { lending, shadow } = pool;
  return {
    id,
    incarnation,
    connectionId,
    name,
    unallocated,
    ...(saturationThreshold !== undefined && { saturationThreshold }),
    ...(whenStoreFails !== undefined && { whenStoreFails }),
    lending: lendingSpec(lending),
    ...(shadow !== undefined && { shadow: lendingSpec(shadow) }),
    allocations: [...pool.allocations.values()].map(allocationSpec),
    version: pool.version,
    createdAt: pool.createdAt,
  };
}

function byId<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort(by(({ id }) => id));
}

function by<Item>(keyOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1);
}
