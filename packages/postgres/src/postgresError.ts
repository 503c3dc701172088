/** What is wrong with a database. */
export type PostgresFault =
  /** The URL is none of PostgreSQL's. */
  | "not-a-url"
  /** Nobody answers there. */
  | "unreachable"
  /** The server does not let this user in, or has no such database. */
  | "refused"
  /** Older than PostgreSQL 14. */
  | "too-old"
  /** Not every text could be kept in it. */
  | "not-utf8"
  /** A standby, or a database that may only be read. */
  | "read-only"
  /** The database was migrated by newer code than this. */
  | "schema-newer"
  /** Two migrations bear one number, or the database has applied another one under it. */
  | "migration-conflict"
  /** A migration failed; what it had done was rolled back. */
  | "migration-failed"
  /** Anything else; the driver's own error is the cause. */
  | "failed";

/** A database that cannot be opened or migrated. The message is one sentence and the remedy another. */
export class PostgresError extends Error {
  readonly code: PostgresFault;
  /** Host, port and database; never a password. */
  readonly place: string;
  readonly remedy: string;

  constructor(fault: {
    readonly code: PostgresFault;
    readonly place: string;
    readonly problem: string;
    readonly remedy: string;
    readonly cause?: unknown;
  }) {
    super(`${fault.problem} ${fault.remedy}`, { cause: fault.cause });
    this.name = "PostgresError";
    this.code = fault.code;
    this.place = fault.place;
    this.remedy = fault.remedy;
  }
}
