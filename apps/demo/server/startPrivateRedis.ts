import { programVersion } from "@quota/local-programs";
import { startRedisServer } from "@quota/local-redis";
import { StartError } from "./startError.js";

/**
 * A redis-server of this process alone, set as one that counts must be. It ends with the process, and what it counted goes with it.
 *
 * @throws {StartError} where there is none to start.
 */
export async function startPrivateRedis(): Promise<{ readonly url: string }> {
  if (programVersion("redis-server") === undefined)
    throw new StartError(
      "There is no redis-server on this machine; install it (apt-get install redis-server), or set QUOTA_STORE_REDIS_URL to one elsewhere.",
    );
  return await startRedisServer({ settings: ["--maxmemory-policy", "noeviction", "--appendonly", "yes"] });
}
