import { QuotaConfigError } from "@quota/core";
import { Cluster, Redis } from "ioredis";
import { checkRedisServer } from "./checkRedisServer.js";
import type { RedisClient } from "./redisClient.js";
import { redisClientOptions, redisClusterOptions } from "./redisClientOptions.js";

export interface OpenRedisOptions {
  /** How long to wait for the server, now and at every step (default 2000 ms). */
  readonly timeoutMs?: number | undefined;
  /** Hears what happens to the connection from now on. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/**
 * Connects to a server, or to the cluster it is a node of, with the settings that the store needs. Close it with `disconnect()`,
 * after the store; twice is once.
 *
 * @param url such as `redis://:password@localhost:6379/0`, or `rediss://` for TLS.
 * @throws {QuotaConfigError} for a URL that is none, a `timeoutMs` out of range, and for a server that the store does not support.
 * @throws {StoreError} when the server cannot be reached, refuses the password, or does not answer in time. Nothing stays open.
 * @example
 * const redis = await openRedis("redis://localhost:6379");
 */
export async function openRedis(url: string, options: OpenRedisOptions = {}): Promise<RedisClient> {
  const { timeoutMs = 2_000, onError = ignore } = options;
  const where = parsed(url);
  const redis = new Redis(where, redisClientOptions(timeoutMs));
  redis.on("error", onError);
  let client: RedisClient = redis;
  try {
    const { cluster } = await checkRedisServer(redis, { timeoutMs, clusterIsFine: true });
    if (!cluster) return redis;
    redis.disconnect();
    client = clusterOf(new URL(where), timeoutMs);
    client.on("error", onError);
    await checkRedisServer(client, { timeoutMs });
    return client;
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

function parsed(url: string): string {
  try {
    const { protocol } = new URL(url);
    if (protocol === "redis:" || protocol === "rediss:") return url;
  } catch {
    // Said below.
  }
  // The URL is not repeated: there may be a password in it.
  throw new QuotaConfigError({
    code: "redis-url-invalid",
    field: "url",
    problem: "This is no URL of a Redis server.",
    remedy: "Write redis://host:port, or rediss://host:port for TLS.",
  });
}

function clusterOf(url: URL, timeoutMs: number): Cluster {
  const options = redisClusterOptions(timeoutMs);
  const secret = {
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === "rediss:" ? { tls: {} } : {}),
  };
  const port = url.port === "" ? 6379 : Number(url.port);
  return new Cluster([{ host: url.hostname, port }], {
    ...options,
    redisOptions: { ...options.redisOptions, ...secret },
  });
}

function ignore(): void {
  // Said to whoever waits for a reply.
}
