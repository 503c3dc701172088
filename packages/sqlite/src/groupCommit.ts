import { StoreError } from "@quota/engine";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { storeError } from "./orStoreError.js";
import { backOffMs } from "./patiently.js";
import { isBusy } from "./sqliteFault.js";

/** Does jobs in the file, all that wait in one transaction. */
export interface GroupCommit<Job, Answer> {
  /**
   * Resolves once what the job did is committed.
   *
   * @throws {StoreError} when the file cannot be written; nothing of the job was kept. @throws what `run` says the job alone is refused with.
   */
  add(job: Job): Promise<Answer>;
  /** @throws {StoreError} when it is closed. */
  refuseWhenClosed(): void;
  /** Resolves when what was added before is done; what comes after is rejected. */
  close(): Promise<void>;
}

export interface GroupCommitOptions<Job, Answer> {
  /** What it is part of, for whoever comes when it is closed: "usage store". */
  readonly what: string;
  /** The transaction has begun: for looking at what others have written. */
  readonly begin?: (() => void) | undefined;
  /** Does one job. What it throws rolls back the whole batch, and all of its jobs are rejected: a job that fails by itself has changed nothing, and says so. */
  readonly run: (job: Job) => Outcome<Answer>;
  /** Writes what the jobs of a batch have gathered. */
  readonly end?: (() => void) | undefined;
  /** Nothing of the batch was kept. */
  readonly undone?: (() => void) | undefined;
  /** How large a job is, if not 1: a batch ends after 4096. */
  readonly sizeOf?: ((job: Job) => number) | undefined;
}

export type Outcome<Answer> =
  { readonly answer: Answer; readonly refusal?: undefined } | { readonly refusal: unknown };

/**
 * While a neighbour holds the file, jobs wait without stopping the event loop, at most `lockWaitMs` of the database; then
 * they are rejected.
 */
export function groupCommit<Job, Answer>(
  db: QuotaDatabase,
  { what, begin, run, end, undone, sizeOf = () => 1 }: GroupCommitOptions<Job, Answer>,
): GroupCommit<Job, Answer> {
  const { connection } = db;
  const beginTransaction = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  const rollback = connection.prepare("ROLLBACK");

  let waiting: Waiting<Job, Answer>[] = [];
  let turn: "none" | "coming" = "none";
  /** Since when a neighbour has held the file, as far as we have seen. */
  let busy: { since: number; tries: number } | undefined;
  let closing: Promise<void> | undefined;
  let idle: (() => void) | undefined;

  return {
    async add(job) {
      refuseWhenClosed();
      return await new Promise<Answer>((resolve, reject) => {
        waiting.push({ job, resolve, reject, since: performance.now() });
        if (turn === "coming") return;
        turn = "coming";
        // Nobody waits: at once, along with whoever asks in the same breath.
        queueMicrotask(serve);
      });
    },

    refuseWhenClosed,

    async close() {
      await (closing ??= new Promise<void>((resolve) => {
        if (turn === "none") resolve();
        else idle = resolve;
      }));
    },
  };

  /** One batch; then, at the end of this turn of the loop, another, if anybody has come by then. */
  function serve(): void {
    if (waiting.length === 0) {
      turn = "none";
      idle?.();
      return;
    }
    try {
      db.checkInPlace();
      beginTransaction.run();
    } catch (error) {
      if (isBusy(error)) {
        waitForNeighbour(error);
        return;
      }
      rejectAll(waiting.splice(0), error);
      setImmediate(serve);
      return;
    }
    busy = undefined;
    serveBatch();
    setImmediate(serve);
  }

  function serveBatch(): void {
    const until = performance.now() + BATCH_MS;
    const outcomes: Outcome<Answer>[] = [];
    let taken = 0;
    let size = 0;
    try {
      begin?.();
      for (const { job } of waiting) {
        taken += 1;
        size += sizeOf(job);
        outcomes.push(run(job));
        if (size >= BATCH_SIZE || performance.now() >= until) break;
      }
      end?.();
      // The last thing that can fail: what is rejected was not applied.
      commit.run();
    } catch (error) {
      undo();
      // Where it did not even begin, it begins for nobody who waits.
      rejectAll(waiting.splice(0, taken === 0 ? waiting.length : taken), error);
      return;
    }
    const served = waiting;
    waiting = served.length === taken ? [] : served.slice(taken);
    for (const [i, outcome] of outcomes.entries())
      if ("answer" in outcome) served[i]!.resolve(outcome.answer);
      else served[i]!.reject(outcome.refusal);
  }

  function undo(): void {
    undone?.();
    try {
      // SQLite has rolled back by itself after some errors, a full disk among them.
      if (connection.inTransaction) rollback.run();
    } catch {
      // What went wrong first is reported; a transaction that is still open makes the next BEGIN fail, which is reported too.
    }
  }

  function waitForNeighbour(error: unknown): void {
    const longAgo = performance.now() - db.lockWaitMs;
    busy ??= { since: performance.now(), tries: 0 };
    busy.tries += 1;
    if (busy.since <= longAgo) {
      const patient = waiting.findIndex(({ since }) => since > longAgo);
      rejectAll(waiting.splice(0, patient === -1 ? waiting.length : patient), error);
    }
    if (waiting.length === 0) serve();
    else setTimeout(serve, backOffMs(busy.tries));
  }

  function refuseWhenClosed(): void {
    if (closing) throw new StoreError(`The ${what} on ${db.file} is closed.`, { applied: "no" });
  }

  function rejectAll(jobs: readonly Waiting<Job, Answer>[], cause: unknown): void {
    for (const { reject } of jobs) reject(storeError(db.file, cause));
  }
}

/** A job that has been asked for and not begun. */
interface Waiting<Job, Answer> {
  readonly job: Job;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  /** On the monotone clock. */
  readonly since: number;
}

/** A batch ends after the first job that passes one of these, so that neither the event loop nor a neighbour waits long. */
const BATCH_MS = 8;
const BATCH_SIZE = 4_096;
