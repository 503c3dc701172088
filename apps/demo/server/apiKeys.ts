import { createHash, randomBytes } from "node:crypto";
import type { QuotaDatabase } from "@quota/sqlite";

/** A key as the API shows it. The secret is not in it: only its hash is kept. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  /** A demo key: valid only while the gateway is bound to a loopback address. */
  readonly loopbackOnly: boolean;
  readonly createdAt: string;
}

/** A key with its secret, which is shown this once. */
export type NewApiKey = ApiKey & { readonly secret: string };

/** The API keys of the gateway's clients, in the gateway's database. Another process's changes are seen at once. */
export interface ApiKeys {
  /** Whose secret this is, disabled or not; undefined when it is nobody's. */
  ofSecret(secret: string): ApiKey | undefined;
  get(id: string): ApiKey | undefined;
  list(): readonly ApiKey[];
  /** @returns undefined when the id is taken. `secret` is for demo keys alone; others are generated. */
  create(
    key: {
      readonly id: string;
      readonly name?: string | undefined;
      readonly demoSecret?: string | undefined;
    },
    now: number,
  ): Promise<NewApiKey | undefined>;
  /** A new secret for the key; the old one is void at once. */
  rotate(id: string): Promise<NewApiKey | undefined>;
  setDisabled(id: string, disabled: boolean): Promise<ApiKey | undefined>;
  delete(id: string): Promise<boolean>;
}

/**
 * Keeps API keys in the table `api_keys`, by the hash of their secrets. A lookup compares hashes through an index: what its duration
 * could tell is about the hash of a guess, never about a secret.
 */
export function createApiKeys({ connection: db, write }: QuotaDatabase): ApiKeys {
  const bySecret = db.prepare<[Buffer], Row>("SELECT * FROM api_keys WHERE secret_hash = ?");
  const byId = db.prepare<[string], Row>("SELECT * FROM api_keys WHERE id = ?");
  const all = db.prepare<[], Row>("SELECT * FROM api_keys ORDER BY created_at, id");
  const insert = db.prepare(
    "INSERT INTO api_keys (id, name, secret_hash, loopback_only, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  // A key that gets a secret of its own is no demo key any more.
  const newSecret = db.prepare("UPDATE api_keys SET secret_hash = ?, loopback_only = 0 WHERE id = ?");
  const disable = db.prepare("UPDATE api_keys SET disabled = ? WHERE id = ?");
  const remove = db.prepare("DELETE FROM api_keys WHERE id = ?");

  const get = (id: string): ApiKey | undefined => keyOf(byId.get(id));

  return {
    ofSecret: (secret) => keyOf(bySecret.get(hashOf(secret))),
    get,
    list: () => all.all().map((row) => keyOf(row)!),
    create({ id, name = id, demoSecret }, now) {
      const secret = demoSecret ?? newSecretText();
      return write(() => {
        const row = [id, name, hashOf(secret), demoSecret === undefined ? 0 : 1, now];
        return insert.run(row).changes === 0 ? undefined : { ...get(id)!, secret };
      });
    },
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
    delete: (id) => write(() => remove.run(id).changes > 0),
  };
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly disabled: number;
  readonly loopback_only: number;
  readonly created_at: number;
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

function newSecretText(): string {
  return `sk-quota-${randomBytes(32).toString("base64url")}`;
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
