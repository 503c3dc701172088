import type { QuotaDatabase } from "@quota/sqlite";
import { keptReading } from "./keptReading.js";
import { DIALECTS, type Dialect } from "./route.js";
import type { SecretFiles } from "./secretFiles.js";
import type { UpstreamAuth } from "./upstreamAuth.js";

/** One provider account, and how to reach it. */
export interface Connection {
  readonly id: string;
  /** Names the catalog's plan, the dialects and where the secret goes. */
  readonly provider: string;
  /** As the official clients take it; `"simulator"`, or `"simulator/codex"`: the simulator of the process that answers, as that provider. */
  readonly baseUrl: string;
  /** Undefined: every model. */
  readonly models: readonly string[] | undefined;
  readonly dialects: readonly Dialect[];
  /** Grows with every change; what an edit was based on. */
  readonly version: number;
  readonly createdAt: string;
}

export interface NewConnection {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly models?: readonly string[] | undefined;
  readonly dialects?: readonly Dialect[] | undefined;
  readonly auth: UpstreamAuth;
}

/** What may be changed. A member left out stays; `null` takes an optional one away. */
export interface ConnectionChange {
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly dialects?: readonly Dialect[] | null | undefined;
  readonly auth?: UpstreamAuth | undefined;
}

/** The provider accounts. What they are is in the database, how to prove oneself to them in files of mode 0600 beside it. */
export interface Connections {
  get(id: string): Connection | undefined;
  list(): readonly Connection[];
  /** For the proxy alone: never part of an answer. A connection whose file is missing (a restored backup) has none. */
  authOf(id: string): UpstreamAuth;
  /** @returns undefined when the id is taken. */
  create(connection: NewConnection, now: number): Promise<Connection | undefined>;
  /** @returns the connection as it is now; `"stale"`, and nothing is written, when `ifVersion` is not its version any more. */
  update(id: string, change: ConnectionChange, ifVersion?: number): Promise<Connection | "stale" | undefined>;
  delete(id: string): Promise<boolean>;
}

/** The base URL of a connection that is answered by the built-in simulator. */
export const SIMULATOR = "simulator";

export function createConnections(database: QuotaDatabase, secrets: SecretFiles): Connections {
  const { connection: db } = database;
  const byId = db.prepare<[string], Row>("SELECT * FROM connections WHERE id = ?");
  const all = db.prepare<[], Row>("SELECT * FROM connections ORDER BY created_at, id");
  const insert = db.prepare(
    "INSERT INTO connections (id, provider, base_url, models, dialects, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const replace = db.prepare(
    "UPDATE connections SET provider = ?, base_url = ?, models = ?, dialects = ?, version = version + 1 WHERE id = ?",
  );
  const remove = db.prepare("DELETE FROM connections WHERE id = ?");

  const get = (id: string): Connection | undefined => connectionOf(byId.get(id));
  const kept = keptReading(database, () => all.all().map((row) => connectionOf(row)!));
  /** As read from their files, so that no request waits for one. A change, in whatever process, is another version. */
  const auths = new Map<string, { readonly life: string; readonly auth: UpstreamAuth }>();

  function write<Result>(work: () => Result): Promise<Result> {
    return database.write(() => {
      kept.forget();
      return work();
    });
  }

  return {
    get,
    list: () => kept.get(),
    authOf(id) {
      const now = kept.get().find((each) => each.id === id);
      const life = `${String(now?.createdAt)} ${String(now?.version)}`;
      const before = auths.get(id);
      if (before?.life === life) return before.auth;
      const text = secrets.read(id);
      if (text === undefined) return { kind: "none" };
      const auth = JSON.parse(text) as UpstreamAuth;
      auths.set(id, { life, auth });
      return auth;
    },
    create: ({ id, provider, baseUrl, models, dialects, auth }, now) =>
      write(() => {
        const row = [id, provider, stored(baseUrl), listText(models), listText(dialects), now];
        if (insert.run(row).changes === 0) return undefined;
        secrets.write(id, JSON.stringify(auth));
        return get(id);
      }),
    update: (id, change, ifVersion) =>
      write(() => {
        const before = byId.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        replace.run(
          change.provider ?? before.provider,
          change.baseUrl === undefined ? before.base_url : stored(change.baseUrl),
          change.models === undefined ? before.models : listText(change.models),
          change.dialects === undefined ? before.dialects : listText(change.dialects),
          id,
        );
        if (change.auth !== undefined) secrets.write(id, JSON.stringify(change.auth));
        return get(id);
      }),
    delete: (id) =>
      write(() => {
        const existed = remove.run(id).changes > 0;
        auths.delete(id);
        if (existed) secrets.delete(id);
        return existed;
      }),
  };
}

interface Row {
  readonly id: string;
  readonly provider: string;
  readonly base_url: string | null;
  readonly models: string | null;
  readonly dialects: string | null;
  readonly version: number;
  readonly created_at: number;
}

function connectionOf(row: Row | undefined): Connection | undefined {
  if (row === undefined) return undefined;
  return {
    id: row.id,
    provider: row.provider,
    baseUrl: row.base_url ?? SIMULATOR,
    models: row.models === null ? undefined : (JSON.parse(row.models) as string[]),
    dialects: row.dialects === null ? dialectsOf(row.provider) : (JSON.parse(row.dialects) as Dialect[]),
    version: row.version,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

/** What a provider is known to speak; a connection may say otherwise. */
function dialectsOf(provider: string): readonly Dialect[] {
  if (provider === "anthropic") return ["anthropic"];
  if (provider === "openai" || provider === "codex") return ["openai"];
  return DIALECTS;
}

function stored(baseUrl: string): string | null {
  return baseUrl === SIMULATOR ? null : baseUrl;
}

function listText(list: readonly string[] | null | undefined): string | null {
  return list == null ? null : JSON.stringify(list);
}
