import { spawnSync } from "node:child_process";

/** What `<program> --version` says on this machine; undefined: there is no such program. */
export function programVersion(program: string): string | undefined {
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
