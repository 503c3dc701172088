import { QuotaDatabaseError, type QuotaDatabaseFault } from "./quotaDatabaseError.js";

/** Says in plain words, with a remedy, what SQLite means; an error that is worded already stays as it is. */
export function sqliteFault(cause: unknown, file: string): QuotaDatabaseError {
  if (cause instanceof QuotaDatabaseError) return cause;
  const [code, problem, remedy] = worded(sqliteCode(cause), file, cause);
  return new QuotaDatabaseError({ code, path: file, problem, remedy, cause });
}

/** Whether another connection holds what we need; it will let go. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error));
}

function sqliteCode(error: unknown): string {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : "";
}

function worded(
  code: string,
  file: string,
  cause: unknown,
): readonly [code: QuotaDatabaseFault, problem: string, remedy: string] {
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return [
      "damaged",
      `The database ${file} is damaged or is no SQLite database.`,
      "Stop every process that uses it and restore a backup in its place.",
    ];
  if (code.startsWith("SQLITE_FULL"))
    return ["disk-full", `There is no room left to write the database ${file}.`, "Free some disk space."];
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code))
    return [
      "not-writable",
      `The database ${file} cannot be written.`,
      "Let this user write the file, its -wal and -shm, and the directory they are in.",
    ];
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return [
      "locked",
      `The database ${file} has been locked by another process for too long.`,
      "Find what keeps it locked (a backup, a shell with an open transaction) and end that.",
    ];
  const said = cause instanceof Error ? cause.message : String(cause);
  return ["failed", `The database ${file} failed: ${said}.`, "The driver's own error is the cause."];
}
