/** What is wrong with a database file. */
export type QuotaDatabaseFault =
  /** better-sqlite3 or its native part cannot be loaded. */
  | "driver-missing"
  /** The directory of the file, or (read-only) the file itself, is not there. */
  | "not-found"
  /** The file, its directory, or its `-wal` and `-shm` cannot be written by this user. */
  | "not-writable"
  /** The file is no database, or not a whole one any more. */
  | "damaged"
  /** The file was removed, or another put in its place, while it was open. */
  | "replaced"
  | "disk-full"
  /** Another process has held the file for longer than we wait. */
  | "locked"
  /** The file was migrated by newer code than this. */
  | "schema-newer"
  /** Two migrations bear one number, or the file has applied another one under it. */
  | "migration-conflict"
  /** A migration failed; what it had done was rolled back. */
  | "migration-failed"
  /** A backup would overwrite a file. */
  | "file-exists"
  /** Anything else; the driver's own error is the cause. */
  | "failed";

/** A database that cannot be opened, migrated or copied. The message is one sentence and the remedy another. */
export class QuotaDatabaseError extends Error {
  readonly code: QuotaDatabaseFault;
  readonly path: string;
  readonly remedy: string;

  constructor(fault: {
    readonly code: QuotaDatabaseFault;
    readonly path: string;
    readonly problem: string;
    readonly remedy: string;
    readonly cause?: unknown;
  }) {
    super(`${fault.problem} ${fault.remedy}`, { cause: fault.cause });
    this.name = "QuotaDatabaseError";
    this.code = fault.code;
    this.path = fault.path;
    this.remedy = fault.remedy;
  }
}
