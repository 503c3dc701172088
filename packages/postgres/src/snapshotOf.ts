import type { PostgresDatabase } from "./openPostgres.js";
import type { PostgresTransaction } from "./postgresTransaction.js";

/** One table kept at hand, by id, each row with the revision it was read at. */
export interface Snapshot<Value> {
  /** As last seen: no waiting. */
  get(id: string): Value | undefined;
  /** The table as the database has it now. */
  latest(): Promise<ReadonlyMap<string, Value>>;
  /**
   * Runs `work` in a transaction that nobody else writes the table beside, on rows that are as the database has them; once that is committed,
   * what it answers is seen at once.
   *
   * @throws {StoreError} when the database cannot be written.
   */
  write<Answer>(work: (rows: WritableRows<Value>) => Promise<Answer>): Promise<Answer>;
  /** Looks for changes no more, but for what is asked. */
  stop(): void;
}

/** What a write sees of the table. */
export interface WritableRows<Value> {
  readonly byId: ReadonlyMap<string, Value>;
  readonly transaction: PostgresTransaction;
  /** What changed rows must bear. */
  readonly revision: number;
  /** Says what was written: a row, or (undefined) that it is gone. */
  readonly wrote: (id: string, value: Value | undefined) => void;
}

export interface SnapshotOptions<Value> {
  /** Names the row in `quota_revisions` that every write raises. */
  readonly topic: string;
  /** The id and the revision of every row, and the value of those that are newer than `since`; in one statement. */
  readonly load: (rows: PostgresTransaction["rows"], since: number) => Promise<readonly LoadedRow<Value>[]>;
  /** After rows have been read or written. */
  readonly onChange?: ((rows: readonly Value[]) => void) | undefined;
  /** The database could not be read just now; what was last seen stays. */
  readonly onFailure: (error: unknown) => void;
  /** A lock that a write takes before anything else, where it must not run beside others: statements without values. */
  readonly begin?: string | undefined;
}

export interface LoadedRow<Value> {
  readonly id: string;
  readonly revision: number;
  /** Undefined: it is no newer than was asked for. */
  readonly value: Value | undefined;
}

/**
 * Reads a table once, and after that only the rows that have changed: when the database says so (see `PostgresDatabase.watch`), and when somebody
 * asks for the latest.
 *
 * @throws {StoreError} when the table cannot be read.
 */
export async function snapshotOf<Value>(
  db: PostgresDatabase,
  { topic, load, onChange, onFailure, begin }: SnapshotOptions<Value>,
): Promise<Snapshot<Value>> {
  let byId: ReadonlyMap<string, Value> = new Map();
  let seen = -1;
  let reading: Promise<void> = Promise.resolve();
  const currentRevision = async (rows: PostgresTransaction["rows"]): Promise<number> => {
    const [row] = await rows<{ revision: string }>("SELECT revision FROM quota_revisions WHERE topic = $1", [
      topic,
    ]);
    return Number(row?.revision ?? 0);
  };

  await refresh();
  const stop = db.watch(topic, async () => {
    try {
      await refresh();
    } catch (error) {
      onFailure(error);
      throw error;
    }
  });

  return {
    get: (id) => byId.get(id),
    stop,

    async latest() {
      await refresh();
      return byId;
    },

    async write(work) {
      let written = new Map<string, Value | undefined>();
      let before = byId;
      let revision = 0;
      const answer = await db.write(
        async (transaction) => {
          written = new Map();
          // From here on nobody else raises it, so the rows are those of the last one who did.
          revision = await transaction.changed(topic);
          before = await caughtUp(transaction.rows, revision - 1);
          return await work({
            byId: before,
            transaction,
            revision,
            wrote: (id, value) => void written.set(id, value),
          });
        },
        { begin },
      );
      if (revision > seen) put(before, { written, revision });
      return answer;
    },
  };

  /** One reading after the other: what is asked now is not answered by what was read before. */
  async function refresh(): Promise<void> {
    const before = reading;
    const next = before.then(catchUp, catchUp);
    reading = next;
    await next;
  }

  async function catchUp(): Promise<void> {
    const revision = await currentRevision(db.rows);
    if (revision === seen) return;
    const found = await caughtUp(db.rows, revision);
    // A write of ours may have been seen meanwhile; a database that was restored has gone back.
    if (revision > seen || (await currentRevision(db.rows)) < seen)
      put(found, { written: new Map(), revision });
  }

  /** The rows as they are at a revision at least. */
  async function caughtUp(
    rows: PostgresTransaction["rows"],
    revision: number,
  ): Promise<ReadonlyMap<string, Value>> {
    if (revision === seen) return byId;
    const [known, since] = revision > seen ? [byId, seen] : [new Map<string, Value>(), -1];
    const loaded = await load(rows, since);
    const all = new Map<string, Value>();
    for (const { id, value } of loaded) {
      const row = value ?? known.get(id);
      if (row !== undefined) all.set(id, row);
    }
    return all;
  }

  function put(
    rows: ReadonlyMap<string, Value>,
    as: { readonly written: ReadonlyMap<string, Value | undefined>; readonly revision: number },
  ): void {
    const all = new Map(rows);
    for (const [id, value] of as.written)
      if (value === undefined) all.delete(id);
      else all.set(id, value);
    byId = all;
    seen = as.revision;
    onChange?.([...all.values()]);
  }
}
