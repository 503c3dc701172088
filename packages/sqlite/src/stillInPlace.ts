import { statSync } from "node:fs";
import { QuotaDatabaseError } from "./quotaDatabaseError.js";

/**
 * Notices that the file was removed, or another put in its place, while it is open: SQLite goes on writing to what nobody
 * will ever find again, and mixes its `-wal` with the newcomer's. Looks at most every `everyMs`.
 *
 * @returns what throws a {@link QuotaDatabaseError} `replaced` from then on, until the file is back.
 */
export function stillInPlace(file: string, everyMs: number): () => void {
  const opened = statSync(file, { bigint: true });
  let lookedAt = performance.now();
  let inPlace = true;

  return () => {
    if (performance.now() - lookedAt >= everyMs) {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      inPlace = found?.ino === opened.ino && found.dev === opened.dev;
      lookedAt = performance.now();
    }
    if (inPlace) return;
    throw new QuotaDatabaseError({
      code: "replaced",
      path: file,
      problem: `The database ${file} was removed or replaced while it was open.`,
      remedy: "Stop every process that uses it, put the right file in its place, and start again.",
    });
  };
}
