import { spawnSync } from "node:child_process";
import type { TestProject } from "vitest/node";
import { programVersion } from "./programVersion.js";
import "./describeWithRedis.js";

/**
 * A global set-up of vitest: installs redis-server where it is missing and that needs no password. Where it stays missing, CI fails, and elsewhere
 * the suites that need it say that they were skipped.
 */
export default function ensureRedisServer(project: TestProject): void {
  const there = has() || (install(), has());
  project.provide("hasRedisServer", there);
  if (there) return;
  const said = "There is no redis-server on this machine. Install it: apt-get install redis-server.";
  if (process.env["CI"] === "true") throw new Error(said);
  process.stderr.write(`\n!! ${said}\n!! The suites that need it are SKIPPED.\n\n`);
}

function has(): boolean {
  return programVersion("redis-server") !== undefined;
}

function install(): void {
  const root = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const run = (...words: readonly string[]): boolean => {
    const [program = "", ...args] = [...root, ...words];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    return spawnSync(program, args, { env, stdio: "ignore", timeout: 180_000 }).status === 0;
  };
  // Just the program: what the package starts by itself is nothing to us.
  const apt = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "redis-server"];
  if (!run(...apt) && run("apt-get", "update", "-qq")) run(...apt);
}
