import { cp, readFile, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { PostgresPrograms } from "./findPostgres.js";

/** Makes programs ready to run for whoever may read `directory`; the folder that they are in. */
export async function unpackPostgres({ home, packed }: PostgresPrograms, directory: string): Promise<string> {
  if (!packed) return join(home, "bin");
  const copy = join(directory, "native");
  // Archives are for whoever links a program of their own.
  await cp(home, copy, { recursive: true, filter: (path) => !path.endsWith(".a") });
  // A tarball of npm's has no links: they are listed, by paths that begin with `native/`.
  const links = JSON.parse(await readFile(join(home, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links)
    await symlink(relative(dirname(target), source), join(directory, target)).catch(unlessThere);
  return join(copy, "bin");
}

function unlessThere(error: unknown): void {
  if ((error as { code?: unknown }).code !== "EEXIST") throw error;
}
