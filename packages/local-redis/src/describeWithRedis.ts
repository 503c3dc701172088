import { describe, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Said by `ensureRedisServer`: whether this machine has a redis-server. */
    readonly hasRedisServer: boolean;
  }
}

/** A suite that needs a redis-server: run where there is one, and reported as skipped, by a title that says why, where there is none. */
export function describeWithRedis(title: string, body: () => void): void {
  const missing = !inject("hasRedisServer");
  const said = missing ? `${title} (SKIPPED: no redis-server; apt-get install redis-server)` : title;
  describe.skipIf(missing)(said, body);
}
