import { DIALECTS, type Dialect } from "./route.js";
import type { GatewayTables, StoredConnection } from "./tables/gatewayTables.js";
import type { ModelPriceSpec } from "./spend/modelPriceSpec.js";
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
  /** What the owner says models cost here; it goes before every price list. */
  readonly prices: readonly ModelPriceSpec[];
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
  readonly prices?: readonly ModelPriceSpec[] | undefined;
  readonly auth: UpstreamAuth;
}

/** What may be changed. A member left out stays; `null` takes an optional one away. */
export interface ConnectionChange {
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly dialects?: readonly Dialect[] | null | undefined;
  readonly prices?: readonly ModelPriceSpec[] | null | undefined;
  readonly auth?: UpstreamAuth | undefined;
}

/** The provider accounts. How to prove oneself to them is kept apart from what they are. */
export interface Connections {
  get(id: string): Connection | undefined;
  list(): readonly Connection[];
  /** For the proxy alone: never part of an answer. One that lost its secret (a restored backup) has none. */
  authOf(id: string): UpstreamAuth;
  /** @returns undefined when the id is taken. */
  create(connection: NewConnection, now: number): Promise<Connection | undefined>;
  /** @returns the connection as it is now; `"stale"`, and nothing is written, when `ifVersion` is not its version any more. */
  update(id: string, change: ConnectionChange, ifVersion?: number): Promise<Connection | "stale" | undefined>;
  delete(id: string): Promise<boolean>;
}

/** The base URL of a connection that is answered by the built-in simulator. */
export const SIMULATOR = "simulator";

export function createConnections({ rows, write }: Pick<GatewayTables, "rows" | "write">): Connections {
  /** Of lists of rows, as they are shown: the path of every request reads one. */
  const lists = new WeakMap<readonly StoredConnection[], readonly Connection[]>();

  function list(): readonly Connection[] {
    const stored = rows.connections.list();
    const known = lists.get(stored);
    if (known !== undefined) return known;
    const shownNow = stored.map(shown);
    lists.set(stored, shownNow);
    return shownNow;
  }

  return {
    get(id) {
      const row = rows.connections.get(id);
      return row && shown(row);
    },
    list,
    authOf: (id) => rows.authOf(id) ?? { kind: "none" },
    create: ({ id, provider, baseUrl, models = null, dialects = null, prices = null, auth }, now) =>
      write((inside) => {
        if (inside.connections.get(id) !== undefined) return undefined;
        const made: StoredConnection = {
          id,
          provider,
          baseUrl: stored(baseUrl),
          models,
          dialects,
          prices,
          version: 1,
          createdAt: now,
        };
        inside.connections.put(made);
        inside.putAuth(id, auth);
        return shown(made);
      }),
    update: (id, { provider, baseUrl, models, dialects, prices, auth }, ifVersion) =>
      write((inside) => {
        const before = inside.connections.get(id);
        if (before === undefined) return undefined;
        if (ifVersion !== undefined && ifVersion !== before.version) return "stale";
        const after: StoredConnection = {
          ...before,
          provider: provider ?? before.provider,
          baseUrl: baseUrl === undefined ? before.baseUrl : stored(baseUrl),
          models: models === undefined ? before.models : models,
          dialects: dialects === undefined ? before.dialects : dialects,
          prices: prices === undefined ? before.prices : prices,
          version: before.version + 1,
        };
        inside.connections.put(after);
        if (auth !== undefined) inside.putAuth(id, auth);
        return shown(after);
      }),
    delete: (id) => write(({ connections }) => connections.delete(id)),
  };
}

function shown(row: StoredConnection): Connection {
  const { id, provider, baseUrl, models, dialects, prices, version, createdAt } = row;
  return {
    id,
    provider,
    baseUrl: baseUrl ?? SIMULATOR,
    models: models ?? undefined,
    dialects: dialects ?? dialectsOf(provider),
    prices: prices ?? [],
    version,
    createdAt: new Date(createdAt).toISOString(),
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
