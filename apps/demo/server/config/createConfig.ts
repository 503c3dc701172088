import { allocationSpec, dimensionSpec, lendingSpec, type Pool } from "@quota/core";
import {
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  replacePoolsAndPlans,
  type QuotaDatabase,
} from "@quota/sqlite";
import type { SecretFiles } from "../secretFiles.js";
import { SIMULATOR } from "../connections.js";
import type { Dialect } from "../route.js";
import type { ConfiguredPool, GatewayConfig, ParsedConfig } from "./gatewayConfig.js";

/** The configuration in a database, as a whole. */
export interface Config {
  read(): Promise<GatewayConfig>;
  /** Puts another one in the place of all of it, or changes nothing. What was counted stays with pools that keep their incarnation. */
  replace(config: ParsedConfig): Promise<void>;
}

/**
 * @param db a handle of its own on the gateway's file: whoever keeps parts of it at hand then sees a replacement as any neighbour's change.
 * @param secrets how connections prove themselves; those that are gone are taken away, the others stay.
 */
export function createConfig(db: QuotaDatabase, secrets: SecretFiles): Config {
  const pools = createSqlitePoolDirectory(db);
  const plans = createSqlitePlanOverrides(db);
  const { connection } = db;
  const connectionRows = connection.prepare<[], ConnectionRow>("SELECT * FROM connections ORDER BY id");
  const organisationRows = connection.prepare<[], OwnerRow>(
    "SELECT *, NULL AS organisation_id FROM organisations ORDER BY id",
  );
  const teamRows = connection.prepare<[], OwnerRow>("SELECT * FROM teams ORDER BY id");
  const keyRows = connection.prepare<[], KeyRow>(KEYS);
  const revision = connection
    .prepare<[], number>("SELECT revision FROM quota_revisions WHERE topic = 'rate-plan'")
    .pluck();

  function needsSecret(id: string): "none" | "to be set" {
    const text = secrets.read(id);
    return text === undefined || (JSON.parse(text) as { readonly kind: string }).kind === "none"
      ? "none"
      : "to be set";
  }

  return {
    async read() {
      return {
        format: 1,
        connections: connectionRows.all().map((row) => ({
          id: row.id,
          provider: row.provider,
          baseUrl: row.base_url ?? SIMULATOR,
          ...(row.models !== null && { models: JSON.parse(row.models) as string[] }),
          ...(row.dialects !== null && { dialects: JSON.parse(row.dialects) as Dialect[] }),
          version: row.version,
          createdAt: row.created_at,
          secret: needsSecret(row.id),
        })),
        plans: [...(await plans.list())]
          .map(([connectionId, dimensions]) => ({ connectionId, dimensions: dimensions.map(dimensionSpec) }))
          .sort(by(({ connectionId }) => connectionId)),
        organisations: organisationRows.all().map(ownerOf),
        teams: teamRows.all().map((row) => ({
          ...ownerOf(row),
          orgId: row.organisation_id,
        })),
        keys: keyRows.all().map((row) => ({
          id: row.id,
          name: row.name,
          secretHash: row.secret_hash.toString("hex"),
          disabled: row.disabled !== 0,
          loopbackOnly: row.loopback_only !== 0,
          teamId: row.team_id,
          orgId: row.organisation_id,
          rpm: row.rpm,
          tpm: row.tpm,
          version: row.version ?? 1,
          createdAt: row.created_at,
        })),
        pools: [...(await pools.list())].map(poolOf).sort(by(({ id }) => id)),
        ratePlanRevision: revision.get() ?? 0,
      };
    },

    async replace(config) {
      const before = new Set(connectionRows.all().map(({ id }) => id));
      await db.write(() => {
        connection.exec(
          "DELETE FROM api_key_places; DELETE FROM api_keys; DELETE FROM teams; DELETE FROM organisations; DELETE FROM connections;",
        );
        // Keys that stay keep their numbers; those of the others are free before the new ones are numbered.
        const staying = JSON.stringify(config.keys.map(({ id }) => id));
        connection.prepare(KEEP_ORDINALS).run(staying);
        insertAll(config);
        replacePoolsAndPlans(db, config);
        connection.prepare(RAISE).run({ least: config.ratePlanRevision });
      });
      for (const { id } of config.connections) before.delete(id);
      for (const id of before) secrets.delete(id);
    },
  };

  function insertAll({ connections, organisations, teams, keys }: ParsedConfig): void {
    const insert = (table: string, row: Readonly<Record<string, unknown>>): void => {
      const names = Object.keys(row);
      const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
      connection.prepare(sql).run(...Object.values(row));
    };
    for (const { id, provider, baseUrl, models, dialects, version, createdAt } of connections)
      insert("connections", {
        id,
        provider,
        base_url: baseUrl === SIMULATOR ? null : baseUrl,
        models: models === undefined ? null : JSON.stringify(models),
        dialects: dialects === undefined ? null : JSON.stringify(dialects),
        version,
        created_at: createdAt,
      });
    for (const owner of organisations) insert("organisations", ownerRow(owner));
    for (const team of teams) insert("teams", { ...ownerRow(team), organisation_id: team.orgId ?? null });
    for (const key of keys) {
      const { id, name, secretHash, disabled, loopbackOnly, createdAt, version } = key;
      insert("api_keys", {
        id,
        name,
        secret_hash: Buffer.from(secretHash, "hex"),
        disabled: Number(disabled),
        loopback_only: Number(loopbackOnly),
        created_at: createdAt,
      });
      const teamId = key.teamId ?? null;
      insert("api_key_places", {
        api_key_id: id,
        team_id: teamId,
        // Of a key in a team it is the team's.
        organisation_id: teamId === null ? (key.orgId ?? null) : null,
        rpm: key.rpm ?? null,
        tpm: key.tpm ?? null,
        version,
      });
    }
  }
}

/** Whoever keeps the rate plan at hand looks at its revision: it rises, and to at least the one that comes along. */
const RAISE = `INSERT INTO quota_revisions (topic, revision) VALUES ('rate-plan', max(1, @least))
  ON CONFLICT (topic) DO UPDATE SET revision = max(revision + 1, @least)`;

const KEEP_ORDINALS = "DELETE FROM api_key_ordinals WHERE api_key_id NOT IN (SELECT value FROM json_each(?))";

const KEYS = `SELECT k.*, p.team_id, coalesce(t.organisation_id, p.organisation_id) AS organisation_id, p.rpm, p.tpm, p.version
  FROM api_keys AS k LEFT JOIN api_key_places AS p ON p.api_key_id = k.id LEFT JOIN teams AS t ON t.id = p.team_id ORDER BY k.id`;

interface ConnectionRow {
  readonly id: string;
  readonly provider: string;
  readonly base_url: string | null;
  readonly models: string | null;
  readonly dialects: string | null;
  readonly version: number;
  readonly created_at: number;
}

interface OwnerRow {
  readonly id: string;
  readonly name: string;
  readonly organisation_id: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly version: number;
  readonly created_at: number;
}

interface KeyRow extends Omit<OwnerRow, "version"> {
  readonly version: number | null;
  readonly secret_hash: Buffer;
  readonly disabled: number;
  readonly loopback_only: number;
  readonly team_id: string | null;
}

function ownerOf({ id, name, rpm, tpm, version, created_at: createdAt }: OwnerRow) {
  return { id, name, rpm, tpm, version, createdAt };
}

function ownerRow(owner: GatewayConfig["organisations"][number]) {
  const { id, name = id, rpm = null, tpm = null, version, createdAt } = owner;
  return { id, name, rpm, tpm, version, created_at: createdAt };
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

function by<Item>(keyOf: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1);
}
