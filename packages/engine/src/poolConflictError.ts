import type { Pool } from "@quota/core";

/** A write to a pool that another pool, or another write, stands in the way of. Nothing was written. */
export class PoolConflictError extends Error {
  /** `connection-taken`: the connection has a pool. `id-taken`: the id is used. `stale`: the pool has changed since. */
  readonly code: "connection-taken" | "id-taken" | "stale";
  /** The pool that stands in the way, as it is now. */
  readonly existing: Pool;

  constructor(code: PoolConflictError["code"], existing: Pool, message: string) {
    super(message);
    this.name = "PoolConflictError";
    this.code = code;
    this.existing = existing;
  }
}
