import { describeWithProgram } from "@quota/local-programs/vitest";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Said by `ensureRedisServer`: whether this machine has a redis-server. */
    readonly hasRedisServer: boolean;
  }
}

/** A suite that needs a redis-server: run where there is one, and reported as skipped, by a title that says why, where there is none. */
export function describeWithRedis(title: string, body: () => void): void {
  describeWithProgram(title, { debianPackage: "redis-server", there: inject("hasRedisServer") }, body);
}
