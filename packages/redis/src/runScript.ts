import { createHash } from "node:crypto";
import type { RedisClient } from "./redisClient.js";

/** A script, with the name that servers know it by. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function scriptOf(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/**
 * Runs a script by its name. A server that does not know it (it was started again, its scripts were flushed) has done
 * nothing: it is sent the text, which it then knows. Once: with the text it cannot be unknown again.
 */
export async function runScript(
  redis: RedisClient,
  script: Script,
  call: { readonly keys: readonly string[]; readonly args: readonly (string | number)[] },
): Promise<unknown> {
  const words = [call.keys.length, ...call.keys, ...call.args];
  try {
    return await redis.call("evalsha", [script.sha, ...words]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
  }
  return redis.call("eval", [script.text, ...words]);
}
