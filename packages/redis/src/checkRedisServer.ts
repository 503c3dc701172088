import { QuotaConfigError } from "@quota/core";
import { primariesOf } from "./primariesOf.js";
import type { RedisClient } from "./redisClient.js";
import { redisReady } from "./redisReady.js";
import { storeFault } from "./storeFault.js";
import { within } from "./within.js";

/** What a server says it is. */
export interface RedisServerKind {
  /** `Redis`, `Valkey`, or whatever else it calls itself. */
  readonly name: string;
  readonly version: string;
  readonly cluster: boolean;
  /** By which policy it throws keys away once it is full; undefined: it refuses writes, or is never full. */
  readonly evictsBy: string | undefined;
}

/**
 * Waits until the server answers, and refuses one that this package was not tested with.
 *
 * @throws {QuotaConfigError} naming the server and its version. @throws {StoreError} when it does not answer in time.
 */
export async function checkRedisServer(
  redis: RedisClient,
  {
    timeoutMs,
    clusterIsFine = redis.isCluster,
    onWarning,
    atStake = "a counter that is evicted is quota given away",
  }: {
    readonly timeoutMs: number;
    readonly clusterIsFine?: boolean;
    /** Hears of a server that counts and is not configured to. */
    readonly onWarning?: ((warning: string) => void) | undefined;
    /** What becomes of a key that is evicted. */
    readonly atStake?: string | undefined;
  },
): Promise<RedisServerKind> {
  const kinds = await within(kindsOf(redis), timeoutMs).catch((cause: unknown) => {
    throw storeFault(cause, "stayed");
  });
  for (const { name, version, cluster } of kinds) {
    if (!isKnown(name, version))
      throw new QuotaConfigError({
        code: "redis-server-unknown",
        field: "redis",
        problem: `The server is ${name} ${version}.`,
        remedy: "Use Redis 6.2, 7 or newer, or Valkey 8 or newer.",
      });
    if (cluster && !clusterIsFine)
      throw new QuotaConfigError({
        code: "redis-client-unfit",
        field: "redis",
        problem: "The server is a node of a cluster, and the client is for a single server.",
        remedy: "Make a Cluster client, or let openRedis choose.",
      });
  }
  const evicting = kinds.find(({ evictsBy }) => evictsBy !== undefined);
  if (evicting !== undefined)
    onWarning?.(
      `${evicting.name} evicts keys when it is full (maxmemory-policy ${evicting.evictsBy!}), and ${atStake}. Set maxmemory-policy to noeviction.`,
    );
  return kinds[0]!;
}

/** Reads what `INFO` says. */
export function redisServerKind(info: string): RedisServerKind {
  const lines = new Map(
    info.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(":");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : [];
    }),
  );
  // Those that speak the protocol of Redis say which version of Redis they resemble, and then who they are.
  const other = [...lines.keys()].find((key) => /^(?!redis_|gcc_|os_|lua_)\w+_version$/.test(key));
  const own = other ?? "redis_version";
  const policy = lines.get("maxmemory_policy") ?? "noeviction";
  const name = lines.get("server_name") ?? own.slice(0, -"_version".length);
  return {
    name: name.charAt(0).toUpperCase() + name.slice(1),
    version: lines.get(own) ?? "of an unknown version",
    cluster: lines.get("cluster_enabled") === "1",
    evictsBy: policy === "noeviction" || lines.get("maxmemory") === "0" ? undefined : policy,
  };
}

async function kindsOf(redis: RedisClient): Promise<readonly RedisServerKind[]> {
  await redisReady(redis);
  return Promise.all(
    primariesOf(redis).map(async (node) => redisServerKind(String(await node.call("info")))),
  );
}

function isKnown(name: string, version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (name === "Valkey") return major >= 8;
  return name === "Redis" && (major > 6 || (major === 6 && minor >= 2));
}
