import { PoolConflictError } from "@quota/engine";
import { SIMULATOR, type Connections, type NewConnection } from "./connections.js";
import type { UpstreamSettings } from "./readSettings.js";
import { simulatorAs } from "./simulated.js";
import type { Storage } from "./storage.js";
import type { UpstreamAuth } from "./upstreamAuth.js";

/** What a newcomer finds: three keys that share one account. The secrets are public, so they count on loopback alone. */
export const DEMO_KEYS = [
  { id: "alice", secret: "sk-demo-alice", weight: 50 },
  { id: "bob", secret: "sk-demo-bob", weight: 30 },
  { id: "carol", secret: "sk-demo-carol", weight: 20 },
] as const;

/**
 * Fills an empty data directory, once: three demo keys that share the pool "Demo team" on a connection to `UPSTREAM_BASE_URL`; else, on the
 * built-in simulator, that pool on a Kimi account, and the pool "Codex seat" on a seat whose provider publishes nothing but percentages.
 * What was deleted since does not come back; later starts only bring the connection of `UPSTREAM_*` up to date.
 *
 * @returns a sentence for the log where `UPSTREAM_*` has no effect.
 */
export async function firstStart(
  { connections, keys, pools, settings }: Pick<Storage, "connections" | "keys" | "pools" | "settings">,
  { upstream, now }: { readonly upstream: UpstreamSettings | undefined; readonly now: number },
): Promise<string | undefined> {
  if ((await settings.get(FILLED_AT)) !== undefined) {
    // A neighbour may have filled it since we opened it: without a look at its pool our first requests would not be governed.
    await pools.list();
    return await refreshUpstream(connections, upstream);
  }

  // Two processes may begin at once: whoever finds a thing made goes on with it.
  for (const key of DEMO_KEYS) await keys.create({ id: key.id, demoSecret: key.secret }, now);
  const accounts = upstream === undefined ? SIMULATED_ACCOUNTS : [ownAccount(upstream)];
  for (const [position, { connection, poolName }] of accounts.entries()) {
    // They are listed by their age.
    const madeAt = now + position;
    await connections.create(connection, madeAt);
    await share({ pools, connectionId: connection.id, name: poolName }, madeAt);
  }
  await settings.set(FILLED_AT, new Date(now).toISOString());
  return undefined;
}

/** The setting that says that a directory is not empty any more. */
const FILLED_AT = "demo.filledAt";
const UPSTREAM_ID = "upstream";

/** An account that the demo keys share. */
export interface SharedAccount {
  readonly connection: NewConnection;
  readonly poolName: string;
}

/** What it makes on the built-in simulator. */
export const SIMULATED_ACCOUNTS: readonly SharedAccount[] = [
  {
    poolName: "Demo team",
    connection: {
      id: "kimi-demo",
      provider: "kimi",
      baseUrl: SIMULATOR,
      auth: { kind: "value", value: "sk-simulated-account" },
    },
  },
  {
    poolName: "Codex seat",
    connection: {
      id: "codex-demo",
      provider: "codex",
      baseUrl: simulatorAs("codex"),
      models: ["gpt-codex-simulated"],
      auth: { kind: "value", value: "sk-simulated-seat" },
    },
  },
];

function ownAccount(upstream: UpstreamSettings): SharedAccount {
  const { provider, baseUrl } = upstream;
  return {
    poolName: "Demo team",
    connection: { id: UPSTREAM_ID, provider, baseUrl, auth: authOf(upstream) },
  };
}

async function share(
  {
    pools,
    connectionId,
    name,
  }: Pick<Storage, "pools"> & { readonly connectionId: string; readonly name: string },
  now: number,
): Promise<void> {
  if ((await pools.ofConnection(connectionId)) !== undefined) return;
  const allocations = DEMO_KEYS.map(({ id: apiKeyId, weight }) => ({ apiKeyId, weight }));
  try {
    await pools.create({ connectionId, name, allocations }, now);
  } catch (error) {
    if (!(error instanceof PoolConflictError)) throw error;
  }
}

async function refreshUpstream(
  connections: Connections,
  upstream: UpstreamSettings | undefined,
): Promise<string | undefined> {
  if (upstream === undefined) return undefined;
  if (connections.get(UPSTREAM_ID) === undefined)
    return "UPSTREAM_BASE_URL makes the first connection only, and DATA_DIR has connections already; add one with POST /api/connections, or name an empty DATA_DIR.";
  const { baseUrl, provider } = upstream;
  const auth = upstream.apiKey === undefined ? {} : { auth: authOf(upstream) };
  await connections.update(UPSTREAM_ID, { baseUrl, provider, ...auth });
  return undefined;
}

function authOf({ apiKey }: UpstreamSettings): UpstreamAuth {
  return apiKey === undefined ? { kind: "none" } : { kind: "value", value: apiKey };
}
