import { inTransaction } from "./inTransaction.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { orStoreError, storeError } from "./orStoreError.js";
import { patiently } from "./patiently.js";

/** One table kept at hand, by id, each row with the revision it was read at. */
export interface Snapshot<Value> {
  /** As last seen: no waiting, no file. */
  get(id: string): Value | undefined;
  /** All of it, as last seen. */
  all(): ReadonlyMap<string, Value>;
  /** The table as the file has it now. */
  latest(): Promise<ReadonlyMap<string, Value>>;
  /** Looks at the file at once, for whoever has begun a transaction; no file is read but for what has changed. */
  catchUp(): void;
  /**
   * Runs `work` in a write transaction, on rows that are as the file has them; once that is committed, what it answers is seen at once.
   *
   * @throws {StoreError} when the file cannot be written.
   */
  write<Answer>(work: (rows: WritableRows<Value>) => Answer): Promise<Answer>;
}

/** What a write sees of the table. */
export interface WritableRows<Value> {
  readonly byId: ReadonlyMap<string, Value>;
  /** The revision that the changed row must bear. Asked for by a write that changes something. */
  readonly revision: () => number;
  /** Says what was written: a row, or (undefined) that it is gone. */
  readonly wrote: (id: string, value: Value | undefined) => void;
}

export interface SnapshotOptions<Value> {
  /** Names the row in `quota_revisions` that every write raises. */
  readonly topic: string;
  /** The id and the revision of every row. */
  readonly index: () => readonly (readonly [id: string, revision: number])[];
  readonly load: (id: string) => Value | undefined;
  /** After rows have been read or written. */
  readonly onChange?: ((rows: readonly Value[]) => void) | undefined;
  /** The file could not be read just now; what was last seen stays. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Reads a table once, and after that only the rows that have changed. Whether anything has is one small read, made when
 * another connection has changed the file (see `QuotaDatabase.watch`) and when somebody asks for the latest.
 *
 * @throws {StoreError} when the table cannot be read.
 */
export function snapshotOf<Value>(db: QuotaDatabase, options: SnapshotOptions<Value>): Snapshot<Value> {
  const { topic, index, load, onChange, onFailure } = options;
  const { connection, file, lockWaitMs } = db;
  const currentRevision = connection
    .prepare<[string], number>("SELECT revision FROM quota_revisions WHERE topic = ?")
    .pluck();
  const raiseRevision = connection
    .prepare<[string], number>(
      `INSERT INTO quota_revisions (topic, revision) VALUES (?, 1)
       ON CONFLICT (topic) DO UPDATE SET revision = revision + 1 RETURNING revision`,
    )
    .pluck();
  const byId = new Map<string, Value>();
  const revisions = new Map<string, number>();
  let seen: number | undefined;

  // One reading of the revision, the index and the rows.
  const refresh = connection.transaction(catchUp);
  try {
    refresh();
  } catch (error) {
    throw storeError(file, error);
  }
  db.watch(() => {
    try {
      refresh();
    } catch (error) {
      onFailure(error);
    }
  });

  return {
    get: (id) => byId.get(id),

    all: () => byId,

    async latest() {
      await orStoreError(file, () => patiently(refresh, lockWaitMs));
      return byId;
    },

    catchUp,

    async write(work) {
      return await orStoreError(file, () => patiently(() => writeAtOnce(work), lockWaitMs));
    },
  };

  function writeAtOnce<Answer>(work: (rows: WritableRows<Value>) => Answer): Answer {
    const written = new Map<string, { readonly value: Value | undefined; readonly revision: number }>();
    let revision = 0;
    db.checkInPlace();
    const answer = inTransaction(connection, () => {
      catchUp();
      return work({
        byId,
        revision: () => (revision ||= raiseRevision.get(topic) ?? 0),
        wrote: (id, value) => void written.set(id, { value, revision }),
      });
    });
    for (const [id, { value, revision: rowRevision }] of written) put(id, value, rowRevision);
    if (written.size > 0) onChange?.([...byId.values()]);
    return answer;
  }

  function catchUp(): void {
    const revision = currentRevision.get(topic) ?? 0;
    if (revision === seen) return;
    const found = new Map(index());
    for (const id of revisions.keys()) if (!found.has(id)) put(id, undefined, 0);
    for (const [id, rowRevision] of found)
      if (revisions.get(id) !== rowRevision) put(id, load(id), rowRevision);
    seen = revision;
    onChange?.([...byId.values()]);
  }

  function put(id: string, value: Value | undefined, revision: number): void {
    if (value === undefined) {
      byId.delete(id);
      revisions.delete(id);
    } else {
      byId.set(id, value);
      revisions.set(id, revision);
    }
  }
}
