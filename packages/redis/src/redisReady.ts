import type { RedisClient } from "./redisClient.js";

/**
 * Resolves when the client can be used; rejects when it never will be (it has ended, or the server refuses its password).
 * A server that cannot be reached is waited for: limit the time.
 */
export async function redisReady(redis: RedisClient): Promise<void> {
  if (redis.status === "ready") return;
  await new Promise<void>((resolve, reject) => {
    let last: unknown;
    const off = (settle: () => void): void => {
      redis.off("ready", onReady).off("end", onEnd).off("error", onError);
      settle();
    };
    const onReady = (): void => off(resolve);
    const onEnd = (): void => off(() => reject(new Error("The connection has ended", { cause: last })));
    const onError = (error: Error): void => {
      last = error;
      if (error.name === "ReplyError") off(() => reject(error));
    };
    redis.on("ready", onReady).on("end", onEnd).on("error", onError);
    if (redis.status === "end") onEnd();
    // A client that was told to wait is told to go. It says how that went by its events.
    else if (redis.status === "wait") redis.connect().catch(onError);
  });
}
