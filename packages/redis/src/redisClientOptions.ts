import type { ClusterOptions, RedisOptions } from "ioredis";
import { positiveWhole } from "./positiveWhole.js";

/** Those of a client's settings on which the store relies. */
export type RedisClientSettings = Required<
  Pick<
    RedisOptions,
    | "enableOfflineQueue"
    | "autoResendUnfulfilledCommands"
    | "maxRetriesPerRequest"
    | "connectTimeout"
    | "socketTimeout"
    | "reconnectOnError"
  >
> & { readonly retryStrategy: (times: number) => number };

/** The same for a client of a cluster. Its nodes are not connected to again: the map of the cluster is asked for anew. */
export type RedisClusterSettings = Required<
  Pick<
    ClusterOptions,
    "enableOfflineQueue" | "retryDelayOnFailover" | "clusterRetryStrategy" | "slotsRefreshTimeout"
  >
> & { readonly redisOptions: Omit<RedisClientSettings, "retryStrategy"> };

/**
 * The settings that a client of the store needs. Nothing queues while the server is away, nothing is sent twice, and a
 * connection on which no reply comes is given up and made again.
 *
 * @param timeoutMs the store's `timeoutMs`. @throws {QuotaConfigError} for one out of range.
 * @example
 * const redis = new Redis({ host: "localhost", ...redisClientOptions() });
 */
export function redisClientOptions(timeoutMs = 2_000): RedisClientSettings {
  const ms = positiveWhole("timeoutMs", timeoutMs);
  return {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ms,
    socketTimeout: ms,
    // For ever, and soon again: whoever asks meanwhile is told at once.
    retryStrategy: (times) => Math.min(50 * times, 500) + Math.random() * 50,
    // A primary that has become a replica, or a name that leads elsewhere since: look again, and send nothing twice.
    reconnectOnError: ({ message }) => /\b(READONLY|MASTERDOWN)\b/.test(message),
  };
}

/**
 * The same for a client of a cluster.
 *
 * @example
 * const redis = new Cluster([{ host: "localhost", port: 7000 }], redisClusterOptions());
 */
export function redisClusterOptions(timeoutMs = 2_000): RedisClusterSettings {
  const { retryStrategy, ...redisOptions } = redisClientOptions(timeoutMs);
  return {
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: timeoutMs,
    redisOptions,
  };
}
