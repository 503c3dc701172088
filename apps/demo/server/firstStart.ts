import { PoolConflictError, type PoolDirectory } from "@quota/engine";
import type { ApiKeys } from "./apiKeys.js";
import { SIMULATOR, type Connections } from "./connections.js";
import type { UpstreamSettings } from "./readSettings.js";
import type { UpstreamAuth } from "./upstreamAuth.js";

/** What a newcomer finds: three keys that share one account. The secrets are public, so they count on loopback alone. */
export const DEMO_KEYS = [
  { id: "alice", secret: "sk-demo-alice", weight: 50 },
  { id: "bob", secret: "sk-demo-bob", weight: 30 },
  { id: "carol", secret: "sk-demo-carol", weight: 20 },
] as const;

/**
 * Fills an empty data directory: one connection (to `UPSTREAM_BASE_URL`, else to the built-in simulator), the pool "Demo team" and
 * three demo keys. In a directory that has connections it only brings the one of `UPSTREAM_*` up to date.
 *
 * @returns a sentence for the log where `UPSTREAM_*` has no effect.
 */
export async function firstStart(
  {
    connections,
    keys,
    pools,
  }: { readonly connections: Connections; readonly keys: ApiKeys; readonly pools: PoolDirectory },
  { upstream, now }: { readonly upstream: UpstreamSettings | undefined; readonly now: number },
): Promise<string | undefined> {
  if (connections.list().length > 0) return await refreshUpstream(connections, upstream);

  const id = upstream === undefined ? "kimi-demo" : UPSTREAM_ID;
  // Two processes may begin at once: whoever finds a thing made goes on with it.
  await connections.create(
    upstream === undefined
      ? { id, provider: "kimi", baseUrl: SIMULATOR, auth: { kind: "value", value: "sk-simulated-account" } }
      : { id, provider: upstream.provider, baseUrl: upstream.baseUrl, auth: authOf(upstream) },
    now,
  );
  for (const key of DEMO_KEYS) await keys.create({ id: key.id, demoSecret: key.secret }, now);
  if ((await pools.ofConnection(id)) === undefined) {
    const allocations = DEMO_KEYS.map(({ id: apiKeyId, weight }) => ({ apiKeyId, weight }));
    try {
      await pools.create({ connectionId: id, name: "Demo team", allocations }, now);
    } catch (error) {
      if (!(error instanceof PoolConflictError)) throw error;
    }
  }
  return undefined;
}

const UPSTREAM_ID = "upstream";

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
