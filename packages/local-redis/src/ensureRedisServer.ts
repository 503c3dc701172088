import { ensureProgram, programVersion } from "@quota/local-programs";
import type { TestProject } from "vitest/node";
import type {} from "./describeWithRedis.js";

/** A global set-up of vitest: tells the suites whether they may start a redis-server. */
export default function ensureRedisServer(project: TestProject): void {
  const version = ensureProgram({
    debianPackage: "redis-server",
    look: () => programVersion("redis-server"),
  });
  project.provide("hasRedisServer", version !== undefined);
}
