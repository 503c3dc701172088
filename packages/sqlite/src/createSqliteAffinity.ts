import type { EpochMs } from "@quota/core";
import { leniently, type Affinity, type Logger } from "@quota/engine";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { orStoreError } from "./orStoreError.js";
import { patiently } from "./patiently.js";

export interface SqliteAffinityOptions {
  /** Hears, once a second at most, that the file could not be read or written where nobody was told, under the scope `quota:affinity`. */
  readonly logger?: Logger | undefined;
}

/** How many texts that have ended a write takes away; as each writes one, no more than those that live are kept for long. */
const DROPPED_AT_ONCE = 16;

/**
 * Keeps short-lived texts in `short_lived_texts`, for every process on the file. A loss of power may take the last ones written (`synchronous` NORMAL);
 * `db.connection.pragma("synchronous = FULL")` after opening prevents that.
 *
 * @example
 * const affinity = createSqliteAffinity(db, { logger });
 */
export function createSqliteAffinity(db: QuotaDatabase, { logger }: SqliteAffinityOptions = {}): Affinity {
  const { connection, file, lockWaitMs } = db;
  const one = connection
    .prepare<[string, number], string>("SELECT value FROM short_lived_texts WHERE name = ? AND ends_at > ?")
    .pluck();
  const put = connection.prepare(
    `INSERT INTO short_lived_texts (name, value, ends_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, ends_at = excluded.ends_at`,
  );
  const dropEnded = connection.prepare<[number, number]>(
    `DELETE FROM short_lived_texts WHERE name IN
     (SELECT name FROM short_lived_texts WHERE ends_at <= ? ORDER BY ends_at LIMIT ?)`,
  );
  const lenient = leniently({ logger, scope: "quota:affinity", what: "A text that gateways share" });

  return {
    readAffinity: read,

    compareAffinity: ({ key, expected, value, ttlMs }, now) =>
      orStoreError(file, () =>
        db.write(() => {
          if (one.get(key, now) !== expected) return false;
          write({ key, value, ttlMs }, now);
          return true;
        }),
      ),

    getString: (key, now) => lenient(() => read(key, now)),

    async setString(entry, now) {
      await lenient(() => db.write(() => write(entry, now)));
    },
  };

  async function read(key: string, now: EpochMs): Promise<string | undefined> {
    return await orStoreError(file, () => patiently(() => one.get(key, now), lockWaitMs));
  }

  function write(
    { key, value, ttlMs }: { readonly key: string; readonly value: string; readonly ttlMs: number },
    now: EpochMs,
  ): void {
    dropEnded.run(now, DROPPED_AT_ONCE);
    put.run(key, value, now + ttlMs);
  }
}
