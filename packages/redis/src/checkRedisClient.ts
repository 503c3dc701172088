import { QuotaConfigError } from "@quota/core";
import type { RedisClient } from "./redisClient.js";

/**
 * Refuses a client whose settings break what the store promises: that a step is never sent twice, that nothing queues for a
 * server that is away, that a connection without replies is made again, and that keys are the ones that were asked for.
 *
 * @throws {QuotaConfigError} naming the option.
 */
export function checkRedisClient(redis: RedisClient): void {
  const options = redis.options as ClientOptions;
  const keyPrefix = options.keyPrefix ?? options.redisOptions?.keyPrefix ?? "";
  if (keyPrefix !== "")
    refuse("keyPrefix", `${JSON.stringify(keyPrefix)} would be put before keys here and not there.`, {
      remedy: "Leave it out, and give the store its `prefix`.",
    });
  if (options.enableOfflineQueue !== false)
    refuse("enableOfflineQueue", "steps would queue while the server is away.", { set: "false" });
  const { connection, where } = redis.isCluster
    ? { connection: options.redisOptions ?? {}, where: "redisOptions." }
    : { connection: options, where: "" };
  if (redis.isCluster && options.retryDelayOnFailover !== 0)
    refuse("retryDelayOnFailover", SENT_AGAIN, { set: "0" });
  if (connection.autoResendUnfulfilledCommands !== false)
    refuse(`${where}autoResendUnfulfilledCommands`, SENT_AGAIN, { set: "false" });
  if (!(connection.socketTimeout! > 0))
    refuse(`${where}socketTimeout`, "a connection on which no reply comes would not be given up.", {
      set: "the store's timeoutMs",
    });
  if (!redis.isCluster && options.maxRetriesPerRequest !== 0)
    refuse("maxRetriesPerRequest", "steps would be kept until the server is back.", { set: "0" });
}

const SENT_AGAIN = "a step whose reply was lost would be sent again.";

/** Those of a connection's options that are looked at. */
interface ConnectionOptions {
  readonly keyPrefix?: string | undefined;
  readonly autoResendUnfulfilledCommands?: boolean | undefined;
  readonly socketTimeout?: number | undefined;
}

/** Those of ioredis's options that are looked at; its types do not tell a cluster's from a server's. */
interface ClientOptions extends ConnectionOptions {
  readonly redisOptions?: ConnectionOptions | undefined;
  readonly enableOfflineQueue?: boolean | undefined;
  readonly maxRetriesPerRequest?: number | null | undefined;
  readonly retryDelayOnFailover?: number | undefined;
}

function refuse(
  field: string,
  problem: string,
  { set, remedy }: { readonly set?: string; readonly remedy?: string },
): never {
  throw new QuotaConfigError({
    code: "redis-client-unfit",
    field,
    problem,
    remedy: remedy ?? `Set it to ${String(set)}, or make the client with openRedis.`,
  });
}
