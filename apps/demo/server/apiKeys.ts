import { hash, randomBytes } from "node:crypto";
import { InvalidInputError } from "@quota/engine";
import type { QuotaDatabase } from "@quota/sqlite";
import { keptReading } from "./keptReading.js";
import { changedPlace, NO_PLACE, type KeyPlace, type KeyPlaceAsked } from "./keyPlace.js";
import type { RateForest } from "./rateForest.js";

/** A key as the API shows it. The secret is not in it: only its hash is kept. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  /** A demo key: valid only while the gateway is bound to a loopback address. */
  readonly loopbackOnly: boolean;
  readonly createdAt: string;
}

/** A key with what it belongs to and its own limits. */
export interface PlacedApiKey extends ApiKey, KeyPlace {
  /** Grows with every change of its name, its place or its limits; what an edit was based on. */
  readonly version: number;
  /** From 0: the smallest that no other key had when it was made. It stays as long as the key is there: what a page makes the key's colour of. */
  readonly ordinal: number;
}

/** A key with its secret, which is shown this once. */
export type NewApiKey = PlacedApiKey & { readonly secret: string };

/** The API keys of the gateway's clients, in the gateway's database. Another process's changes are seen at once. */
export interface ApiKeys {
  /** Whose secret this is, disabled or not; undefined when it is nobody's. */
  ofSecret(secret: string): ApiKey | undefined;
  get(id: string): PlacedApiKey | undefined;
  list(): readonly PlacedApiKey[];
  /**
   * @returns undefined when the id is taken. `demoSecret` is for demo keys alone; other secrets are generated.
   * @throws {InvalidInputError} for a team or organisation that is not there, or that contradict each other.
   */
  create(
    key: KeyPlaceAsked & {
      readonly id: string;
      readonly name?: string | undefined;
      readonly demoSecret?: string | undefined;
    },
    now: number,
  ): Promise<NewApiKey | undefined>;
  /**
   * @returns the key as it is now; `"stale"`, and nothing is written, when `ifVersion` is not its version any more.
   * @throws {InvalidInputError} as {@link ApiKeys.create} does.
   */
  update(
    id: string,
    change: KeyPlaceAsked & { readonly name?: string | undefined },
    ifVersion?: number,
  ): Promise<PlacedApiKey | "stale" | undefined>;
  /** A new secret for the key; the old one is void at once. */
  rotate(id: string): Promise<NewApiKey | undefined>;
  setDisabled(id: string, disabled: boolean): Promise<PlacedApiKey | undefined>;
  delete(id: string): Promise<boolean>;
}

/**
 * Keeps API keys in the table `api_keys`, by the hash of their secrets. A lookup compares hashes through an index: what its duration
 * could tell is about the hash of a guess, never about a secret. What they belong to is in `api_key_places`, their
 * ordinals in `api_key_ordinals`, which the database itself hands out.
 */
export function createApiKeys(database: QuotaDatabase, forest: RateForest): ApiKeys {
  const { connection: db } = database;
  const bySecret = db.prepare<[Buffer], Row>("SELECT * FROM api_keys WHERE secret_hash = ?");
  const byId = db.prepare<[string], PlacedRow>(`${PLACED} WHERE keys.id = ?`);
  const all = db.prepare<[], PlacedRow>(`${PLACED} ORDER BY keys.created_at, keys.id`);
  const insert = db.prepare(
    "INSERT INTO api_keys (id, name, secret_hash, loopback_only, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const rename = db.prepare("UPDATE api_keys SET name = ? WHERE id = ?");
  const place = db.prepare(
    `INSERT INTO api_key_places (api_key_id, team_id, organisation_id, rpm, tpm, version)
     VALUES (@id, @teamId, @ownOrgId, @rpm, @tpm, @version)
     ON CONFLICT (api_key_id) DO UPDATE SET team_id = excluded.team_id, organisation_id = excluded.organisation_id,
       rpm = excluded.rpm, tpm = excluded.tpm, version = excluded.version`,
  );
  const team = db.prepare<[string], { readonly orgId: string | null }>(
    "SELECT organisation_id AS orgId FROM teams WHERE id = ?",
  );
  const organisation = db.prepare<[string]>("SELECT 1 FROM organisations WHERE id = ?");
  // A key that gets a secret of its own is no demo key any more.
  const newSecret = db.prepare("UPDATE api_keys SET secret_hash = ?, loopback_only = 0 WHERE id = ?");
  const disable = db.prepare("UPDATE api_keys SET disabled = ? WHERE id = ?");
  const remove = db.prepare("DELETE FROM api_keys WHERE id = ?");
  const freeOrdinal = db.prepare("DELETE FROM api_key_ordinals WHERE api_key_id = ?");

  const get = (id: string): PlacedApiKey | undefined => placedKeyOf(byId.get(id));
  /** Keys that have been used, by the hash of their secrets. */
  const used = keptReading(database, () => new Map<string, ApiKey>());

  function write<Result>(work: () => Result): Promise<Result> {
    return database.write(() => {
      used.forget();
      return work();
    });
  }

  function writeForest<Result>(work: (touch: () => void) => Result): Promise<Result> {
    return forest.write((touch) => {
      used.forget();
      return work(touch);
    });
  }

  function ofSecret(secret: string): ApiKey | undefined {
    const hashed = hashOf(secret);
    const name = hashed.toString("latin1");
    const known = used.get();
    const key = known.get(name) ?? keyOf(bySecret.get(hashed));
    // Only keys that are there: guesses take no room.
    if (key !== undefined) known.set(name, key);
    return key;
  }

  function placedAt(before: KeyPlace, asked: KeyPlaceAsked): KeyPlace {
    const changed = changedPlace(before, asked, {
      team: (id) => team.get(id),
      organisation: (id) => organisation.get(id),
    });
    if (!changed.ok) throw new InvalidInputError(changed.faults);
    return changed.value;
  }

  function putPlace(id: string, at: KeyPlace & { readonly version: number }): void {
    place.run({ ...at, id, ownOrgId: at.teamId === null ? at.orgId : null });
  }

  return {
    ofSecret,
    get,
    list: () => all.all().map((row) => placedKeyOf(row)!),
    create({ id, name = id, demoSecret, ...asked }, now) {
      const secret = demoSecret ?? newSecretText();
      return writeForest((touch) => {
        const at = placedAt(NO_PLACE, asked);
        const row = [id, name, hashOf(secret), demoSecret === undefined ? 0 : 1, now];
        if (insert.run(row).changes === 0) return undefined;
        if (isSomewhere(at)) {
          putPlace(id, { ...at, version: 1 });
          touch();
        }
        return { ...get(id)!, secret };
      });
    },
    update: (id, { name, ...asked }, ifVersion) =>
      writeForest((touch) => {
        const before = get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        putPlace(id, { ...placedAt(before, asked), version: before.version + 1 });
        rename.run(name ?? before.name, id);
        touch();
        return get(id);
      }),
    rotate(id) {
      const secret = newSecretText();
      return write(() =>
        newSecret.run(hashOf(secret), id).changes === 0 ? undefined : { ...get(id)!, secret },
      );
    },
    setDisabled: (id, disabled) =>
      write(() => {
        disable.run(disabled ? 1 : 0, id);
        return get(id);
      }),
    delete: (id) =>
      writeForest((touch) => {
        const before = get(id);
        if (before === undefined) return false;
        if (isSomewhere(before)) touch();
        freeOrdinal.run(id);
        return remove.run(id).changes > 0;
      }),
  };
}

/** Keys with their places; a key in a team has the team's organisation. */
const PLACED = `SELECT keys.*, places.team_id, coalesce(teams.organisation_id, places.organisation_id) AS organisation_id,
    places.rpm, places.tpm, coalesce(places.version, 1) AS version, ordinals.ordinal
  FROM api_keys AS keys
  JOIN api_key_ordinals AS ordinals ON ordinals.api_key_id = keys.id
  LEFT JOIN api_key_places AS places ON places.api_key_id = keys.id
  LEFT JOIN teams ON teams.id = places.team_id`;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly disabled: number;
  readonly loopback_only: number;
  readonly created_at: number;
}

interface PlacedRow extends Row {
  readonly team_id: string | null;
  readonly organisation_id: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly version: number;
  readonly ordinal: number;
}

function keyOf(row: Row | undefined): ApiKey | undefined {
  if (row === undefined) return undefined;
  return {
    id: row.id,
    name: row.name,
    disabled: row.disabled !== 0,
    loopbackOnly: row.loopback_only !== 0,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

function placedKeyOf(row: PlacedRow | undefined): PlacedApiKey | undefined {
  if (row === undefined) return undefined;
  const { team_id: teamId, organisation_id: orgId, rpm, tpm, version, ordinal } = row;
  return { ...keyOf(row)!, teamId, orgId, rpm, tpm, version, ordinal };
}

function isSomewhere({ teamId, orgId, rpm, tpm }: KeyPlace): boolean {
  return teamId !== null || orgId !== null || rpm !== null || tpm !== null;
}

function newSecretText(): string {
  return `sk-quota-${randomBytes(32).toString("base64url")}`;
}

function hashOf(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
