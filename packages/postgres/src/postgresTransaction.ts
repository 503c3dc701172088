import type { ClientBase } from "pg";
import { storeError } from "./storeError.js";

/** What may be asked within one transaction. Values are as `pg` takes them; numbers of 64 bits come back as texts. */
export interface PostgresTransaction {
  /** Runs one statement; its rows. @throws {StoreError} with the driver's error as its cause (`cause.code` is the SQLSTATE). */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs one statement; how many rows it has changed. */
  run(sql: string, values?: readonly unknown[]): Promise<number>;
  /**
   * Raises the revision of a topic, and tells whoever watches it when this is committed. Until then no other transaction raises it: the revisions of
   * a topic come in the order in which they are committed.
   *
   * @returns the new revision.
   */
  changed(topic: string): Promise<number>;
}

/** The channel that is told of changes; a notification's text is the topic. */
export const CHANNEL = "quota_changed";

export function transactionOn(client: ClientBase, place: string): PostgresTransaction {
  const ask = async (sql: string, values: readonly unknown[] = []) => {
    try {
      return await client.query<object>(sql, [...values]);
    } catch (cause) {
      throw storeError(cause, { place, applied: "no" });
    }
  };
  return {
    rows: async <Row extends object>(sql: string, values?: readonly unknown[]) =>
      (await ask(sql, values)).rows as Row[],
    run: async (sql, values) => (await ask(sql, values)).rowCount ?? 0,
    async changed(topic) {
      const { rows } = await ask(
        `WITH raised AS (
           INSERT INTO quota_revisions (topic, revision) VALUES ($1, 1)
           ON CONFLICT (topic) DO UPDATE SET revision = quota_revisions.revision + 1 RETURNING revision
         )
         SELECT revision, pg_notify('${CHANNEL}', $1) FROM raised`,
        [topic],
      );
      return Number((rows[0] as { revision: string }).revision);
    },
  };
}
