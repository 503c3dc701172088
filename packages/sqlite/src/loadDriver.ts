import type Database from "better-sqlite3";
import { QuotaDatabaseError } from "./quotaDatabaseError.js";

/** What makes a connection; its types come without loading it. */
export type Driver = typeof Database;

/**
 * Loads better-sqlite3 when it is needed, not when this package is imported, so that an app can say in one sentence what is
 * missing. Its native part is tried as well, on a database in memory: no file is made.
 *
 * @throws {QuotaDatabaseError} `driver-missing`.
 */
export async function loadDriver(path: string): Promise<Driver> {
  try {
    const { default: Driver } = await import("better-sqlite3");
    new Driver(":memory:").close();
    return Driver;
  } catch (cause) {
    throw new QuotaDatabaseError({
      code: "driver-missing",
      path,
      problem: `The database ${path} was not opened, since the SQLite driver better-sqlite3 cannot be loaded on Node ${process.version} (${process.platform} ${process.arch}).`,
      remedy:
        "Run `npm rebuild better-sqlite3` (it needs Python 3, make and a C++ compiler), or use a Node it ships a binary for.",
      cause,
    });
  }
}
