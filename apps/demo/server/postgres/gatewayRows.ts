import { storedText, textStored, type PostgresTransaction } from "@quota/postgres";
import type { Dialect } from "../route.js";
import type { ModelPriceSpec } from "../spend/modelPriceSpec.js";
import type { StoredConnection, StoredKey, StoredOrganisation, StoredTeam } from "../tables/gatewayTables.js";
import type { RowChanges } from "../tables/rowChanges.js";
import type { UpstreamAuth } from "../upstreamAuth.js";
import type { SecretBox } from "./createSecretBox.js";

/** Names the row of `quota_revisions` that every change of these tables raises. */
export const GATEWAY_TOPIC = "gateway";
/** Names that of the rate plan. */
const RATE_PLAN_TOPIC = "rate-plan";

/** How far back what was deleted is told. Whoever has not looked for as many changes reads everything again. */
const GONE_FOR = 10_000;

/** Rows as they were at one moment. */
export interface ReadRows {
  readonly revision: number;
  readonly changes: RowChanges;
  /** Whether the changes are those since the asked revision, or all that there is. */
  readonly from: "what there is" | "nothing";
}

export interface ReadTerms {
  readonly rows: PostgresTransaction["rows"];
  readonly box: SecretBox;
  /** Hears of connections whose secrets do not open. */
  readonly onDamage: (connectionId: string, error: unknown) => void;
}

/**
 * Reads what was written after a revision, in one statement, which sees one moment.
 *
 * @param since −1: everything.
 * @throws {StoreError}
 */
export async function readGatewayRows({ rows, box, onDamage }: ReadTerms, since: number): Promise<ReadRows> {
  const [read] = await rows<ReadTables>(READ, [since]);
  const { revision, rate_plan_revision: ratePlanRevision, ...tables } = read!;
  // A database that was restored has gone back, and what was deleted long ago is not told any more.
  const isWhole = since < 0 || (Number(revision) >= since && Number(revision) - since <= GONE_FOR);
  if (!isWhole) return await readGatewayRows({ rows, box, onDamage }, -1);
  const gone = (kind: GoneKind): (readonly [string, undefined])[] =>
    tables.gone.flatMap(([of, id]) => (of === kind ? [[textStored(id), undefined] as const] : []));
  const connections = tables.connections.map(({ sealed, ...row }) => {
    const connection = connectionOf(row);
    return [connection, authOf(sealed, connection.id, { box, onDamage })] as const;
  });
  return {
    revision: Number(revision),
    from: since < 0 ? "nothing" : "what there is",
    changes: {
      organisations: new Map([...gone("organisation"), ...tables.organisations.map(named).map(withId)]),
      teams: new Map([...gone("team"), ...tables.teams.map(teamOf).map(withId)]),
      keys: new Map([...gone("key"), ...tables.keys.map(keyOf).map(withId)]),
      connections: new Map([...gone("connection"), ...connections.map(([row]) => withId(row))]),
      auths: new Map([...gone("connection"), ...connections.map(([{ id }, auth]) => [id, auth] as const)]),
      ratePlanRevision: Number(ratePlanRevision),
    },
  };
}

/** Writes changes down under a revision. @throws {StoreError} */
export async function writeGatewayRows(
  { transaction, box }: { readonly transaction: PostgresTransaction; readonly box: SecretBox },
  changes: RowChanges,
  revision: number,
): Promise<void> {
  const { organisations, teams, keys, connections, auths } = changes;
  const put = (sql: string, rows: readonly object[]): Promise<void> =>
    inPieces(rows, (piece) => transaction.run(sql, [JSON.stringify(piece), revision]));
  await put(PUT_ORGANISATIONS, present(organisations).map(storedNames));
  await put(
    PUT_TEAMS,
    present(teams).map((team) => ({ ...storedNames(team), orgId: storedOrNull(team.orgId) })),
  );
  await put(
    PUT_KEYS,
    present(keys).map((key) => ({
      ...storedNames(key),
      teamId: storedOrNull(key.teamId),
      ownOrgId: storedOrNull(key.ownOrgId),
    })),
  );
  await put(PUT_CONNECTIONS, present(connections).map(storedConnection));
  const sealed = [...auths].map(([id, auth]) => ({
    id: storedText(id),
    sealed: auth === undefined ? null : box.seal(JSON.stringify(auth), placeOf(id)).toString("base64"),
  }));
  await put(PUT_SECRETS, sealed);
  for (const [kind, changed] of [
    ["key", keys],
    ["team", teams],
    ["organisation", organisations],
    ["connection", connections],
  ] as const)
    await put(takeAway(kind), goneOf(changed));
  await transaction.run("DELETE FROM gateway_gone WHERE revision < $1", [revision - GONE_FOR]);
  await transaction.run(PUT_RATE_PLAN, [changes.ratePlanRevision]);
}

type GoneKind = "organisation" | "team" | "key" | "connection";

interface ReadTables {
  readonly revision: string;
  readonly rate_plan_revision: string;
  readonly organisations: readonly StoredOrganisation[];
  readonly teams: readonly StoredTeam[];
  readonly keys: readonly StoredKey[];
  readonly connections: readonly (ReadConnection & { readonly sealed: string | null })[];
  readonly gone: readonly (readonly [GoneKind, string])[];
}

interface ReadConnection extends Omit<StoredConnection, "models" | "dialects" | "prices"> {
  readonly models: string | null;
  readonly dialects: string | null;
  readonly prices: string | null;
}

const changedIn = (table: string, columns: string): string =>
  `(SELECT coalesce(json_agg(row_to_json(changed)), '[]') FROM (SELECT ${columns} FROM ${table} WHERE revision > $1::bigint) AS changed)`;

const OWNER = 'id, name, rpm, tpm, version, created_at AS "createdAt"';

const READ = `SELECT
  (SELECT revision FROM quota_revisions WHERE topic = '${GATEWAY_TOPIC}') AS revision,
  coalesce((SELECT revision FROM quota_revisions WHERE topic = '${RATE_PLAN_TOPIC}'), 0) AS rate_plan_revision,
  ${changedIn("gateway_organisations", OWNER)} AS organisations,
  ${changedIn("gateway_teams", `${OWNER}, organisation_id AS "orgId"`)} AS teams,
  ${changedIn(
    "gateway_keys",
    `${OWNER}, secret_hash AS "secretHash", disabled, loopback_only AS "loopbackOnly", team_id AS "teamId", organisation_id AS "ownOrgId", ordinal`,
  )} AS keys,
  ${changedIn(
    "gateway_connections",
    `id, provider, base_url AS "baseUrl", models, dialects, prices, version, created_at AS "createdAt", encode(secret, 'base64') AS sealed`,
  )} AS connections,
  (SELECT coalesce(json_agg(json_build_array(kind, id)), '[]') FROM gateway_gone WHERE revision > $1::bigint) AS gone`;

function withId<Row extends { readonly id: string }>(row: Row): readonly [string, Row] {
  return [row.id, row];
}

function named<Row extends { readonly id: string; readonly name: string }>(row: Row): Row {
  return { ...row, id: textStored(row.id), name: textStored(row.name) };
}

function teamOf(row: StoredTeam): StoredTeam {
  return { ...named(row), orgId: textOrNull(row.orgId) };
}

function keyOf(row: StoredKey): StoredKey {
  return { ...named(row), teamId: textOrNull(row.teamId), ownOrgId: textOrNull(row.ownOrgId) };
}

function connectionOf({ models, dialects, prices, ...row }: ReadConnection): StoredConnection {
  return {
    ...row,
    id: textStored(row.id),
    provider: textStored(row.provider),
    baseUrl: textOrNull(row.baseUrl),
    models: models === null ? null : (JSON.parse(models) as string[]),
    dialects: dialects === null ? null : (JSON.parse(dialects) as Dialect[]),
    prices: prices === null ? null : (JSON.parse(prices) as ModelPriceSpec[]),
  };
}

/** A row that somebody has damaged by hand must not take the others down. */
function authOf(
  sealed: string | null,
  id: string,
  { box, onDamage }: Pick<ReadTerms, "box" | "onDamage">,
): UpstreamAuth | undefined {
  if (sealed === null) return undefined;
  try {
    return JSON.parse(box.open(Buffer.from(sealed, "base64"), placeOf(id))) as UpstreamAuth;
  } catch (error) {
    onDamage(id, error);
    return undefined;
  }
}

/** What a connection's secret is sealed for. */
function placeOf(id: string): string {
  return `connection ${id}`;
}

function textOrNull(stored: string | null): string | null {
  return stored === null ? null : textStored(stored);
}

const OWNER_COLUMNS = 'id text, name text, rpm bigint, tpm bigint, version bigint, "createdAt" bigint';

const PUT_ORGANISATIONS = `INSERT INTO gateway_organisations (id, name, rpm, tpm, version, created_at, revision)
  SELECT id, name, rpm, tpm, version, "createdAt", $2::bigint FROM json_to_recordset($1::json) AS row (${OWNER_COLUMNS})
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, rpm = excluded.rpm, tpm = excluded.tpm,
    version = excluded.version, created_at = excluded.created_at, revision = excluded.revision`;

const PUT_TEAMS = `INSERT INTO gateway_teams (id, name, organisation_id, rpm, tpm, version, created_at, revision)
  SELECT id, name, "orgId", rpm, tpm, version, "createdAt", $2::bigint FROM json_to_recordset($1::json) AS row (${OWNER_COLUMNS}, "orgId" text)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, organisation_id = excluded.organisation_id, rpm = excluded.rpm, tpm = excluded.tpm,
    version = excluded.version, created_at = excluded.created_at, revision = excluded.revision`;

const PUT_KEYS = `INSERT INTO gateway_keys (id, name, secret_hash, disabled, loopback_only, team_id, organisation_id, rpm, tpm, ordinal, version, created_at, revision)
  SELECT id, name, "secretHash", disabled, "loopbackOnly", "teamId", "ownOrgId", rpm, tpm, ordinal, version, "createdAt", $2::bigint
  FROM json_to_recordset($1::json) AS row (${OWNER_COLUMNS}, "secretHash" text, disabled boolean, "loopbackOnly" boolean, "teamId" text, "ownOrgId" text, ordinal bigint)
  ON CONFLICT (id) DO UPDATE SET name = excluded.name, secret_hash = excluded.secret_hash, disabled = excluded.disabled,
    loopback_only = excluded.loopback_only, team_id = excluded.team_id, organisation_id = excluded.organisation_id, rpm = excluded.rpm, tpm = excluded.tpm,
    ordinal = excluded.ordinal, version = excluded.version, created_at = excluded.created_at, revision = excluded.revision`;

const PUT_CONNECTIONS = `INSERT INTO gateway_connections (id, provider, base_url, models, dialects, prices, version, created_at, revision)
  SELECT id, provider, "baseUrl", models, dialects, prices, version, "createdAt", $2::bigint
  FROM json_to_recordset($1::json) AS row (id text, provider text, "baseUrl" text, models text, dialects text, prices text, version bigint, "createdAt" bigint)
  ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, base_url = excluded.base_url, models = excluded.models, dialects = excluded.dialects,
    prices = excluded.prices, version = excluded.version, created_at = excluded.created_at, revision = excluded.revision`;

const PUT_SECRETS = `UPDATE gateway_connections AS kept SET secret = decode(row.sealed, 'base64'), revision = $2::bigint
  FROM json_to_recordset($1::json) AS row (id text, sealed text) WHERE kept.id = row.id`;

const PUT_RATE_PLAN = `INSERT INTO quota_revisions (topic, revision) VALUES ('${RATE_PLAN_TOPIC}', $1)
  ON CONFLICT (topic) DO UPDATE SET revision = excluded.revision`;

function takeAway(kind: GoneKind): string {
  return `WITH named AS (SELECT id FROM json_to_recordset($1::json) AS row (id text)),
    away AS (DELETE FROM gateway_${kind}s USING named WHERE gateway_${kind}s.id = named.id)
    INSERT INTO gateway_gone (kind, id, revision) SELECT '${kind}', id, $2::bigint FROM named
    ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision`;
}

function present<Row>(changed: ReadonlyMap<string, Row | undefined>): Row[] {
  return [...changed.values()].filter((row) => row !== undefined);
}

function goneOf(changed: ReadonlyMap<string, unknown>): readonly { readonly id: string }[] {
  return [...changed].flatMap(([id, row]) => (row === undefined ? [{ id: storedText(id) }] : []));
}

/** A lone half of a character cannot be kept in UTF-8. */
function kept(text: string): string {
  return storedText(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

function storedNames<Row extends { readonly id: string; readonly name: string }>(row: Row): Row {
  return { ...row, id: storedText(row.id), name: kept(row.name) };
}

function storedOrNull(text: string | null): string | null {
  return text === null ? null : storedText(text);
}

function storedConnection({ models, dialects, prices, ...row }: StoredConnection): ReadConnection {
  return {
    ...row,
    id: storedText(row.id),
    provider: kept(row.provider),
    baseUrl: row.baseUrl === null ? null : kept(row.baseUrl),
    models: models === null ? null : JSON.stringify(models),
    dialects: dialects === null ? null : JSON.stringify(dialects),
    prices: prices === null ? null : JSON.stringify(prices),
  };
}

/** How many rows a statement writes, so that none takes long. */
const PIECE = 2_000;

async function inPieces<Row>(
  rows: readonly Row[],
  write: (piece: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < rows.length; from += PIECE) await write(rows.slice(from, from + PIECE));
}
