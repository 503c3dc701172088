import type { QuotaDatabase } from "@quota/sqlite";

/** What was read of a database, as long as it stands. */
export interface KeptReading<Value> {
  /** As the file has it now. */
  get(): Value;
  /** This connection is about to change what was read; another's changes are seen by themselves. */
  forget(): void;
}

/**
 * Reads once, and again when another connection has changed the file or {@link KeptReading.forget} was called. To ask whether
 * another has costs a fraction of what a query does, and counting use on this connection is no reason to read again.
 */
export function keptReading<Value>(
  { connection }: Pick<QuotaDatabase, "connection">,
  read: () => Value,
): KeptReading<Value> {
  const dataVersion = connection.prepare<[], number>("PRAGMA data_version").pluck();
  let kept: { readonly version: number | undefined; readonly value: Value } | undefined;
  return {
    get() {
      // Asked first: what is committed between the two is read again the next time.
      const version = dataVersion.get();
      if (kept === undefined || kept.version !== version) kept = { version, value: read() };
      return kept.value;
    },
    forget() {
      kept = undefined;
    },
  };
}
