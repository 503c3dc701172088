import { replacePoolsAndPlans, type QuotaDatabase } from "@quota/sqlite";
import { freeOrdinal } from "../freeOrdinal.js";
import { keptReading } from "../keptReading.js";
import type { Dialect } from "../route.js";
import type { SecretFiles } from "../secretFiles.js";
import type { ModelPriceSpec } from "../spend/modelPriceSpec.js";
import type { UpstreamAuth } from "../upstreamAuth.js";
import type {
  GatewayRows,
  GatewayTables,
  Members,
  RateRow,
  StoredConnection,
  StoredKey,
  StoredOrganisation,
  StoredTeam,
  WritableRows,
  WritableTable,
} from "./gatewayTables.js";

/**
 * The gateway's tables in a SQLite file: every reading is one of the file, so that another process's changes are seen at once. How connections
 * prove themselves is in files of mode 0600 beside it.
 */
export function createSqliteTables(db: QuotaDatabase, secrets: SecretFiles): GatewayTables {
  const { connection } = db;
  const keys = keyTable(db);
  const connections = connectionTable(db, secrets);
  const inside: WritableRows = {
    organisations: organisationTable(db),
    teams: teamTable(db),
    keys,
    connections,
    keyOfSecret: (hash) => keys.ofHash(hash),
    freeOrdinal: () => keys.freeOrdinal(),
    authOf: (id) => authIn(secrets, id),
    putAuth: (id, auth) => secrets.write(id, JSON.stringify(auth)),
    membersOf: membersIn(db),
    ...ratePlanIn(db),
    replacePoolsAndPlans: (config) => replacePoolsAndPlans(db, config),
  };
  /** Keys that have been used, by the hash of their secrets. */
  const used = keptReading(db, () => new Map<string, StoredKey>());
  const listed = keptReading(db, () => connections.list());
  const rows: GatewayRows = {
    ...inside,
    keyOfSecret(hash) {
      const known = used.get();
      const name = hash.toString("latin1");
      const key = known.get(name) ?? keys.ofHash(hash);
      // Only keys that are there: guesses take no room.
      if (key !== undefined) known.set(name, key);
      return key;
    },
    connections: { ...connections, list: () => listed.get() },
    authOf: keptAuths(secrets, (id) => listed.get().find((each) => each.id === id)),
  };
  const inOneReading = connection.transaction((work: () => unknown) => work());

  return {
    rows,
    reading: (work) => inOneReading(() => work(inside)) as ReturnType<typeof work>,
    write: (work) =>
      db.write(() => {
        used.forget();
        listed.forget();
        return work(inside);
      }),
    // What is committed is in the file.
    catchUp: async () => undefined,
    watch: (look) => db.watch(look),
  };
}

/** As read from their files, so that no request waits for one. A change, in whatever process, is another version. */
function keptAuths(
  secrets: SecretFiles,
  connectionOf: (id: string) => StoredConnection | undefined,
): GatewayRows["authOf"] {
  const auths = new Map<string, { readonly life: string; readonly auth: UpstreamAuth }>();
  return (id) => {
    const now = connectionOf(id);
    const life = `${String(now?.createdAt)} ${String(now?.version)}`;
    const before = auths.get(id);
    if (before?.life === life) return before.auth;
    const auth = authIn(secrets, id);
    if (auth === undefined) auths.delete(id);
    else auths.set(id, { life, auth });
    return auth;
  };
}

function authIn(secrets: SecretFiles, id: string): UpstreamAuth | undefined {
  const text = secrets.read(id);
  return text === undefined ? undefined : (JSON.parse(text) as UpstreamAuth);
}

function organisationTable({ connection: db }: QuotaDatabase): WritableTable<StoredOrganisation> {
  const columns = "id, name, rpm, tpm, version, created_at AS createdAt";
  const byId = db.prepare<[string], StoredOrganisation>(`SELECT ${columns} FROM organisations WHERE id = ?`);
  const all = db.prepare<[], StoredOrganisation>(
    `SELECT ${columns} FROM organisations ORDER BY created_at, id`,
  );
  const put = db.prepare(
    `INSERT INTO organisations (id, name, rpm, tpm, version, created_at) VALUES (@id, @name, @rpm, @tpm, @version, @createdAt)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, rpm = excluded.rpm, tpm = excluded.tpm,
       version = excluded.version, created_at = excluded.created_at`,
  );
  const remove = db.prepare("DELETE FROM organisations WHERE id = ?");
  return {
    get: (id) => byId.get(id),
    list: () => all.all(),
    put: (row) => void put.run(row),
    delete: (id) => remove.run(id).changes > 0,
  };
}

function teamTable({ connection: db }: QuotaDatabase): WritableTable<StoredTeam> {
  const columns = "id, name, organisation_id AS orgId, rpm, tpm, version, created_at AS createdAt";
  const byId = db.prepare<[string], StoredTeam>(`SELECT ${columns} FROM teams WHERE id = ?`);
  const all = db.prepare<[], StoredTeam>(`SELECT ${columns} FROM teams ORDER BY created_at, id`);
  const put = db.prepare(
    `INSERT INTO teams (id, name, organisation_id, rpm, tpm, version, created_at) VALUES (@id, @name, @orgId, @rpm, @tpm, @version, @createdAt)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, organisation_id = excluded.organisation_id,
       rpm = excluded.rpm, tpm = excluded.tpm, version = excluded.version, created_at = excluded.created_at`,
  );
  const remove = db.prepare("DELETE FROM teams WHERE id = ?");
  return {
    get: (id) => byId.get(id),
    list: () => all.all(),
    put: (row) => void put.run(row),
    delete: (id) => remove.run(id).changes > 0,
  };
}

interface KeyRow extends Omit<StoredKey, "secretHash" | "disabled" | "loopbackOnly"> {
  readonly secretHash: Buffer;
  readonly disabled: number;
  readonly loopbackOnly: number;
}

/** A key that never belonged anywhere and never had a limit has no row in `api_key_places`. */
function keyTable({ connection: db }: QuotaDatabase) {
  const selected = `SELECT keys.id, keys.name, keys.secret_hash AS secretHash, keys.disabled, keys.loopback_only AS loopbackOnly, keys.created_at AS createdAt,
      places.team_id AS teamId, places.organisation_id AS ownOrgId, places.rpm, places.tpm, coalesce(places.version, 1) AS version, ordinals.ordinal
    FROM api_keys AS keys
    JOIN api_key_ordinals AS ordinals ON ordinals.api_key_id = keys.id
    LEFT JOIN api_key_places AS places ON places.api_key_id = keys.id`;
  const byId = db.prepare<[string], KeyRow>(`${selected} WHERE keys.id = ?`);
  const byHash = db.prepare<[Buffer], KeyRow>(`${selected} WHERE keys.secret_hash = ?`);
  const all = db.prepare<[], KeyRow>(`${selected} ORDER BY keys.created_at, keys.id`);
  // Before the key: a key without a number is given one by the database itself.
  const putOrdinal = db.prepare(
    `INSERT INTO api_key_ordinals (api_key_id, ordinal) VALUES (@id, @ordinal)
     ON CONFLICT (api_key_id) DO UPDATE SET ordinal = excluded.ordinal`,
  );
  const put = db.prepare(
    `INSERT INTO api_keys (id, name, secret_hash, disabled, loopback_only, created_at)
     VALUES (@id, @name, @secretHash, @disabled, @loopbackOnly, @createdAt)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, secret_hash = excluded.secret_hash,
       disabled = excluded.disabled, loopback_only = excluded.loopback_only, created_at = excluded.created_at`,
  );
  const putPlace = db.prepare(
    `INSERT INTO api_key_places (api_key_id, team_id, organisation_id, rpm, tpm, version)
     SELECT @id, @teamId, @ownOrgId, @rpm, @tpm, @version
       WHERE @version > 1 OR coalesce(@teamId, @ownOrgId, @rpm, @tpm) IS NOT NULL
     ON CONFLICT (api_key_id) DO UPDATE SET team_id = excluded.team_id, organisation_id = excluded.organisation_id,
       rpm = excluded.rpm, tpm = excluded.tpm, version = excluded.version`,
  );
  const remove = db.prepare("DELETE FROM api_keys WHERE id = ?");
  const giveUpOrdinal = db.prepare("DELETE FROM api_key_ordinals WHERE api_key_id = ?");
  const ordinals = db
    .prepare<[], [number, number]>("SELECT count(*), coalesce(max(ordinal), -1) FROM api_key_ordinals")
    .raw();
  const hasOrdinal = db.prepare<[number]>("SELECT 1 FROM api_key_ordinals WHERE ordinal = ?");
  return {
    get: (id: string) => keyOf(byId.get(id)),
    ofHash: (hash: Buffer) => keyOf(byHash.get(hash)),
    list: () => all.all().map((row) => keyOf(row)!),
    freeOrdinal() {
      const [count, highest] = ordinals.get() ?? [0, -1];
      // Where there are as many numbers as the largest says, there is no gap to look for.
      if (count === highest + 1) return count;
      return freeOrdinal({ has: (ordinal) => hasOrdinal.get(ordinal) !== undefined });
    },
    put(row: StoredKey) {
      const { disabled, loopbackOnly, secretHash } = row;
      putOrdinal.run(row);
      put.run({
        ...row,
        secretHash: Buffer.from(secretHash, "hex"),
        disabled: Number(disabled),
        loopbackOnly: Number(loopbackOnly),
      });
      putPlace.run(row);
    },
    delete(id: string) {
      giveUpOrdinal.run(id);
      return remove.run(id).changes > 0;
    },
  };
}

function keyOf(row: KeyRow | undefined): StoredKey | undefined {
  if (row === undefined) return undefined;
  const { secretHash, disabled, loopbackOnly } = row;
  return {
    ...row,
    secretHash: secretHash.toString("hex"),
    disabled: disabled !== 0,
    loopbackOnly: loopbackOnly !== 0,
  };
}

interface ConnectionRow extends Omit<StoredConnection, "models" | "dialects" | "prices"> {
  readonly models: string | null;
  readonly dialects: string | null;
  readonly prices: string | null;
}

function connectionTable(
  { connection: db }: QuotaDatabase,
  secrets: SecretFiles,
): WritableTable<StoredConnection> {
  const columns =
    "id, provider, base_url AS baseUrl, models, dialects, prices, version, created_at AS createdAt";
  const byId = db.prepare<[string], ConnectionRow>(`SELECT ${columns} FROM connections WHERE id = ?`);
  const all = db.prepare<[], ConnectionRow>(`SELECT ${columns} FROM connections ORDER BY created_at, id`);
  const put = db.prepare(
    `INSERT INTO connections (id, provider, base_url, models, dialects, prices, version, created_at)
     VALUES (@id, @provider, @baseUrl, @models, @dialects, @prices, @version, @createdAt)
     ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, base_url = excluded.base_url, models = excluded.models,
       dialects = excluded.dialects, prices = excluded.prices, version = excluded.version, created_at = excluded.created_at`,
  );
  const remove = db.prepare("DELETE FROM connections WHERE id = ?");
  return {
    get: (id: string) => connectionOf(byId.get(id)),
    list: () => all.all().map((row) => connectionOf(row)!),
    put: (row: StoredConnection) =>
      void put.run({
        ...row,
        models: jsonOrNull(row.models),
        dialects: jsonOrNull(row.dialects),
        prices: jsonOrNull(row.prices),
      }),
    delete(id: string) {
      const existed = remove.run(id).changes > 0;
      if (existed) secrets.delete(id);
      return existed;
    },
  };
}

function connectionOf(row: ConnectionRow | undefined): StoredConnection | undefined {
  if (row === undefined) return undefined;
  const { models, dialects, prices } = row;
  return {
    ...row,
    models: models === null ? null : (JSON.parse(models) as string[]),
    dialects: dialects === null ? null : (JSON.parse(dialects) as Dialect[]),
    prices: prices === null ? null : (JSON.parse(prices) as ModelPriceSpec[]),
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function membersIn({ connection: db }: QuotaDatabase): WritableRows["membersOf"] {
  const teams = db
    .prepare<[string], string>("SELECT id FROM teams WHERE organisation_id = ? ORDER BY id")
    .pluck();
  const keysIn = (column: string) =>
    db
      .prepare<[string], string>(
        `SELECT api_key_id FROM api_key_places WHERE ${column} = ? ORDER BY api_key_id`,
      )
      .pluck();
  const inTeam = keysIn("team_id");
  const inOrganisation = keysIn("organisation_id");
  return ({ kind, id }): Members =>
    kind === "team"
      ? { teams: [], keys: inTeam.all(id) }
      : { teams: teams.all(id), keys: inOrganisation.all(id) };
}

/** Names the plan's row in `quota_revisions`. */
const TOPIC = "rate-plan";

function ratePlanIn({
  connection: db,
}: QuotaDatabase): Pick<WritableRows, "rateRows" | "ratePlanRevision" | "raiseRatePlan"> {
  const revision = db
    .prepare<[string], number>("SELECT revision FROM quota_revisions WHERE topic = ?")
    .pluck();
  const raise = db.prepare(
    `INSERT INTO quota_revisions (topic, revision) VALUES (@topic, max(@by, @least))
     ON CONFLICT (topic) DO UPDATE SET revision = max(revision + @by, @least)`,
  );
  const rows = db.prepare<[], RateRow>(
    `SELECT 'organisation' AS kind, id, NULL AS teamId, NULL AS orgId, rpm, tpm FROM organisations
     UNION ALL SELECT 'team', id, NULL, organisation_id, rpm, tpm FROM teams
     UNION ALL SELECT 'key', api_key_id, team_id, organisation_id, rpm, tpm FROM api_key_places
       WHERE coalesce(team_id, organisation_id, rpm, tpm) IS NOT NULL`,
  );
  return {
    rateRows: () => rows.all(),
    ratePlanRevision: () => revision.get(TOPIC) ?? 0,
    raiseRatePlan: (to) => void raise.run({ topic: TOPIC, ...to }),
  };
}
