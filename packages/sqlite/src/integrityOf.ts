import type { QuotaDatabase } from "./openQuotaDatabase.js";

/** Whether the file is sound, and what is wrong with it if not. */
export type Integrity = { readonly sound: true } | { readonly sound: false; readonly problem: string };

/**
 * SQLite's quick check: every page of the tables, in time that grows with the file (about 100 ms per 100 MB, during which this process stands
 * still): ask for it now and then, not with every request. Never throws.
 */
export function integrityOf(db: QuotaDatabase): Integrity {
  try {
    db.checkInPlace();
    const found = db.connection.prepare<[], string>("PRAGMA quick_check(5)").pluck().all();
    return found.length === 1 && found[0] === "ok"
      ? { sound: true }
      : { sound: false, problem: found.join("; ") };
  } catch (error) {
    return { sound: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
