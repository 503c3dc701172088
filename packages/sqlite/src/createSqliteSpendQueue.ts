import { parseSpendEvent, subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import {
  InvalidInputError,
  type DamagedSpend,
  type SpendItem,
  type SpendPosition,
  type SpendQueue,
} from "@quota/engine";
import { setImmediate as nextTurn } from "node:timers/promises";
import { forgetSpendIds } from "./forgetSpendIds.js";
import { groupCommit, type Outcome } from "./groupCommit.js";
import { hotSums } from "./hotSums.js";
import { jsonIn } from "./jsonIn.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { orStoreError } from "./orStoreError.js";
import { patiently } from "./patiently.js";

/**
 * Keeps events in `spend_queue` and what they add up to in `spend_hot`. Events that are handed in together are committed in one transaction. Any
 * number of processes on the machine may share the file.
 *
 * What was answered survives the end of the process. A loss of power may take the transactions since the file was last flushed (`synchronous`
 * NORMAL waits for the disk at checkpoints alone): events handed in the last moments, which then are charged to nobody. Where the ledger is in the same
 * file it loses the same moments and no others, so nothing is charged twice. `db.connection.pragma("synchronous = FULL")` after opening waits
 * for the disk once a batch, and nothing that was answered is lost.
 *
 * It has no clock: an id counts as acknowledged at the latest moment that the queue had been told of by then. It is remembered until
 * `forgetAcknowledged`: some 100 bytes each.
 *
 * @example
 * const queue = createSqliteSpendQueue(db);
 * await queue.enqueueSpend(event, Date.now());
 */
export function createSqliteSpendQueue(db: QuotaDatabase): SpendQueue {
  const { connection, file, lockWaitMs } = db;
  const statements = prepareStatements(db);
  const hot = hotSums(connection);
  let latest: EpochMs = 0;

  const writes = groupCommit<QueueJob, "queued" | "known" | boolean>(db, {
    what: "spend queue",
    run: (job) => ("raw" in job ? enter(job) : ack(job)),
    end: () => hot.write(),
    undone: () => hot.drop(),
  });

  return {
    sharedBy: "one-machine",

    async enqueueSpend(event, now) {
      writes.refuseWhenClosed();
      const parsed = parseSpendEvent(event);
      if (!parsed.ok) throw new InvalidInputError(parsed.faults);
      latest = Math.max(latest, now);
      return (await writes.add(entryOf(parsed.value, now))) as "queued" | "known";
    },

    async peekSpend(count) {
      // Whoever looks again and again must not keep those from the loop who hand in.
      await nextTurn();
      const rows = await read(() => statements.peek.all(count));
      const items: SpendItem[] = [];
      for (const row of rows) {
        const found = itemIn(row);
        if ("why" in found) return { items, damaged: found };
        items.push(found);
      }
      return { items };
    },

    async ackSpend(head, count) {
      return (await writes.add({ head, count })) as boolean;
    },

    hotSpend: (subject) => read(() => hot.sum(subjectName(subject))),
    hotSpendSince: (subject, periodStart) => read(() => hot.sumSince(subjectName(subject), periodStart)),

    async backlog() {
      const [first, last, oldestAt] = await read(() => statements.ends.get()!);
      if (first === null) return { waiting: 0, oldestAt: undefined };
      return { waiting: last - first + 1, oldestAt };
    },

    async forgetAcknowledged(before) {
      writes.refuseWhenClosed();
      return await orStoreError(file, () => forgetSpendIds(db, before));
    },

    close: () => writes.close(),
  };

  async function read<Result>(look: () => Result): Promise<Result> {
    writes.refuseWhenClosed();
    return await orStoreError(file, () => patiently(look, lockWaitMs));
  }

  function enter({ requestId, raw, amount, minute, subjects, at }: Entry): Outcome<"queued" | "known"> {
    // Asked before: an insertion that meets a conflict would use a position up.
    if (statements.known.get(requestId) !== undefined) return { answer: "known" };
    const { lastInsertRowid } = statements.enter.run(at, raw, amount, minute, JSON.stringify(subjects));
    statements.remember.run(lastInsertRowid, requestId);
    for (const subject of subjects) hot.raise(subject, minute, BigInt(amount));
    return { answer: "queued" };
  }

  function ack({ head, count }: Ack): Outcome<boolean> {
    const first = statements.head.get();
    if (first === undefined || positionOf(...first) !== head) return { answer: false };
    const newest = Math.max(latest, statements.newest.get() ?? 0, statements.lastAck.get() ?? 0);
    let last: number | undefined;
    for (const [position, amount, minute, subjects] of statements.front.iterate(count)) {
      last = position;
      for (const subject of payersOf(position, subjects)) hot.raise(subject, minute, -BigInt(amount));
    }
    if (last === undefined) return { answer: true };
    statements.drop.run(last);
    statements.acknowledge.run(last, newest);
    return { answer: true };
  }

  /**
   * The names whose hot sums a row has raised: as its column says, or else its event. Where neither can be read it goes all the same, and those sums
   * stay as they are: a head that nobody can take out would stop all spend behind it.
   */
  function payersOf(position: number, subjects: string): readonly string[] {
    const names = jsonIn(subjects);
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
    const parsed = parseSpendEvent(jsonIn(statements.payload.get(position) ?? ""));
    return parsed.ok ? parsed.value.subjects.map(subjectName) : [];
  }
}

type QueueJob = Entry | Ack;

interface Entry {
  readonly requestId: string;
  readonly raw: string;
  readonly amount: number;
  readonly minute: number;
  readonly subjects: readonly string[];
  readonly at: EpochMs;
}

interface Ack {
  readonly head: string;
  readonly count: number;
}

type PeekedRow = readonly [place: number, at: EpochMs, raw: string, requestId: string | null];

const MINUTE_MS = 60_000;

/** Stands in `minute` for events that do not say when they started. */
const UNKNOWN_MINUTE = -1;

function entryOf(event: SpendEvent, now: EpochMs): Entry {
  const { requestId, subjects, cost, startedAt } = event;
  return {
    requestId,
    raw: JSON.stringify(event),
    amount: cost === "unpriced" ? 0 : cost,
    minute: startedAt === undefined ? UNKNOWN_MINUTE : startedAt - (startedAt % MINUTE_MS),
    subjects: subjects.map(subjectName),
    at: Math.floor(now),
  };
}

/** The place alone would do in one queue. Several machines' queues may lead to one ledger, which keeps damaged items apart by their positions. */
function positionOf(place: number, at: EpochMs): SpendPosition {
  return `${String(place)}-${String(at)}`;
}

function itemIn([place, at, raw, requestId]: PeekedRow): SpendItem | DamagedSpend {
  const position = positionOf(place, at);
  const damaged = (why: string): DamagedSpend => ({ position, raw, why, requestId: requestId ?? undefined });
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    return damaged(`It is no JSON: ${String(error)}.`);
  }
  const parsed = parseSpendEvent(value);
  if (!parsed.ok) return damaged(parsed.faults.map(({ message }) => message).join(" "));
  if (parsed.value.requestId !== requestId)
    return damaged(`It was handed in as ${JSON.stringify(requestId)} and names another request.`);
  return { position, raw, event: parsed.value };
}

function prepareStatements({ connection }: QuotaDatabase) {
  return {
    known: connection.prepare<[string], number>("SELECT 1 FROM spend_queue_ids WHERE request_id = ?").pluck(),
    enter: connection.prepare(
      "INSERT INTO spend_queue (handed_in_at, payload, amount, minute, subjects) VALUES (?, ?, ?, ?, ?)",
    ),
    remember: connection.prepare("INSERT INTO spend_queue_ids (position, request_id) VALUES (?, ?)"),
    peek: connection
      .prepare<[number], PeekedRow>(
        `SELECT item.position, item.handed_in_at, item.payload, known.request_id FROM spend_queue AS item
         LEFT JOIN spend_queue_ids AS known ON known.position = item.position ORDER BY item.position LIMIT ?`,
      )
      .raw(),
    head: connection
      .prepare<[], [place: number, at: EpochMs]>(
        "SELECT position, handed_in_at FROM spend_queue ORDER BY position LIMIT 1",
      )
      .raw(),
    front: connection
      .prepare<[number], [position: number, amount: number, minute: number, subjects: string]>(
        "SELECT position, amount, minute, subjects FROM spend_queue ORDER BY position LIMIT ?",
      )
      .raw(),
    payload: connection
      .prepare<[number], string>("SELECT payload FROM spend_queue WHERE position = ?")
      .pluck(),
    drop: connection.prepare("DELETE FROM spend_queue WHERE position <= ?"),
    newest: connection
      .prepare<[], number>("SELECT handed_in_at FROM spend_queue ORDER BY position DESC LIMIT 1")
      .pluck(),
    lastAck: connection
      .prepare<[], number>("SELECT acknowledged_at FROM spend_queue_acks ORDER BY position DESC LIMIT 1")
      .pluck(),
    acknowledge: connection.prepare("INSERT INTO spend_queue_acks (position, acknowledged_at) VALUES (?, ?)"),
    ends: connection
      .prepare<
        [],
        [first: null, last: null, oldestAt: null] | [first: number, last: number, oldestAt: number]
      >(
        `SELECT ends.first, ends.last, item.handed_in_at FROM
         (SELECT (SELECT min(position) FROM spend_queue) AS first, (SELECT max(position) FROM spend_queue) AS last) AS ends
         LEFT JOIN spend_queue AS item ON item.position = ends.first`,
      )
      .raw(),
  };
}
