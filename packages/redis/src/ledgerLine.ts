import { ContendedError, StoreError, type LedgerId } from "@quota/engine";
import { newBatch, takeInto, type Batch, type Outcome, type Proof, type Waiting } from "./batch.js";
import {
  ifUnchanged,
  noteLooked,
  readReply,
  withinBounds,
  type CommitMessage,
  type Reply,
} from "./commitMessage.js";
import { createLedgerCells } from "./ledgerCells.js";
import type { Departure } from "./departure.js";
import { storeFault } from "./storeFault.js";

/** The steps on one ledger: those that wait while a batch is under way go together in the next one. */
export interface LedgerLine {
  ask(step: Waiting["step"], answer: Waiting["answer"]): void;
  /** Nothing waits and nothing is under way. */
  readonly idle: boolean;
  /** How many counters are kept at hand. */
  readonly size: number;
  /** Gives up what was asked before this moment of the monotone clock. */
  giveUp(askedBefore: number): void;
}

/** What a line needs of its store. */
export interface LineTools {
  readonly prefix: string;
  /** Told how many more counters the line keeps at hand, or fewer. */
  readonly keeps: (more: number) => void;
  /** Whether all lines together may keep what they do. Lines that are idle may be forgotten for it. */
  readonly hasRoom: () => boolean;
  /** A text that no other commit ever bears. */
  readonly newToken: () => string;
  readonly send: (proof: Proof, message: CommitMessage) => Sent;
  /** The reply was to something else: the connection is out of step. */
  readonly outOfStep: () => void;
}

export interface Sent {
  readonly reply: Promise<unknown>;
  /** Asked when the reply is an error. */
  readonly left: (cause: unknown) => Departure;
}

/** A batch ends with the step that passes this many counters: its script holds up everybody's commands. */
const BATCH_COUNTERS = 2_000;
/** After so many conflicts a step is decided alone … */
const ALONE_AFTER = 3;
/** … and after so many it is refused as contended. */
const CONTENDED_AFTER = 16;
/** After so many batches in a row in which no neighbour was seen, it is worth betting that there is none. */
const CALM_AFTER = 8;

export function createLedgerLine(ledger: LedgerId, tools: LineTools): LedgerLine {
  const cells = createLedgerCells(tools.prefix, ledger);
  let line: Waiting[] = [];
  let underWay: Batch | undefined;
  let coming = false;
  /** Everybody in the batch under way has been given up: the server does not answer. */
  let stuck = false;
  let number = 0;
  /** The number of the batch whose reply was the last to show amounts. */
  let lastReading = 0;
  /** Begins anew whenever somebody else is seen to have changed the ledger; amounts of one era belong to one state of it. */
  let era = 0;
  /** What the head bears at the end of this era so far. */
  let head: string | undefined;
  let calm = CALM_AFTER;
  /** How many counters the store was told are kept at hand. */
  let told = 0;

  return {
    ask(step, answer) {
      if (stuck) {
        answer({ error: new StoreError("Redis does not answer.", { applied: "no" }) });
        return;
      }
      line.push({ step, answer, since: performance.now(), after: number, conflicts: 0, answered: false });
      comeSoon();
    },
    get idle() {
      return line.length === 0 && (underWay === undefined || stuck);
    },
    get size() {
      return cells.size;
    },
    giveUp,
  };

  function comeSoon(): void {
    if (coming || underWay !== undefined) return;
    coming = true;
    // The end of this turn of the loop: whoever arrives until then goes along.
    setImmediate(serve);
  }

  function serve(): void {
    coming = false;
    if (underWay !== undefined || line.length === 0) return;
    const batch = decideBatch();
    if (batch.decided.length === 0 && batch.deferred.length === 0) comeSoonIfNeeded();
    else commit(batch);
  }

  function comeSoonIfNeeded(): void {
    if (line.length > 0) comeSoon();
  }

  function decideBatch(): Batch {
    const now = line[0]!.step.now;
    cells.trim(now);
    tellSize();
    if (!tools.hasRoom()) cells.keepReadIn(lastReading);
    number += 1;
    const taken = takeFromLine();
    const batch = newBatch(number, proofFor(taken));
    for (const waiting of taken)
      takeInto(batch, waiting, { cells: cells.of(waiting.step.counters, waiting.step.now), lastReading });
    tellSize();
    return batch;
  }

  function tellSize(): void {
    tools.keeps(cells.size - told);
    told = cells.size;
  }

  /** The first ones of the line, as many as go together. */
  function takeFromLine(): readonly Waiting[] {
    let counters = 0;
    let taken = 0;
    for (const { step, conflicts } of line) {
      const alone = conflicts >= ALONE_AFTER;
      if (alone && taken > 0) break;
      taken += 1;
      counters += step.counters.length;
      if (alone || counters >= BATCH_COUNTERS) break;
    }
    const first = line.slice(0, taken);
    line = line.slice(taken);
    return first;
  }

  /** Where no neighbour writes, one look at the head proves everything. */
  function proofFor(taken: readonly Waiting[]): Proof {
    if (head === undefined || calm < CALM_AFTER) return "bounds";
    for (const { step } of taken)
      for (const cell of cells.of(step.counters, step.now))
        if (cell !== undefined && cell.era !== era) return "bounds";
    return "unchanged";
  }

  function commit(batch: Batch): void {
    const token = tools.newToken();
    const { headKey } = cells;
    const message =
      batch.proof === "unchanged"
        ? ifUnchanged(batch, { token, expected: head!, headKey })
        : withinBounds(batch, token, headKey);
    if (batch.proof === "bounds" && message.shown.length === 0) {
      // Additions that hold at any amounts, and come to nothing.
      for (const { waiting, outcome } of batch.decided) settle(waiting, outcome);
      comeSoonIfNeeded();
      return;
    }
    underWay = batch;
    const { reply, left } = tools.send(batch.proof, message);
    reply.then(
      (said) => {
        const read = readReply(said, token);
        if (read === undefined) {
          tools.outOfStep();
          fail(batch, new StoreError("Redis answered something else.", { applied: "unknown" }));
        } else if (batch.proof === "unchanged") committedUnchanged(batch, message, { token, read });
        else committedWithinBounds(batch, message, { token, read });
        goOn();
      },
      (cause: unknown) => {
        fail(batch, storeFault(cause, left(cause)));
        goOn();
      },
    );
  }

  function committedUnchanged(
    batch: Batch,
    message: CommitMessage,
    { token, read }: { readonly token: string; readonly read: Reply },
  ): void {
    if (!read.stands) {
      newEra(undefined);
      requeue(batch);
      return;
    }
    noteLooked(message);
    if (message.writes) head = token;
    for (const cell of batch.cells) cell.amount += cell.delta;
    for (const { waiting, outcome } of batch.decided) settle(waiting, outcome);
  }

  function committedWithinBounds(
    batch: Batch,
    message: CommitMessage,
    { token, read }: { readonly token: string; readonly read: Reply },
  ): void {
    // Where there is no head, one may have come and gone since the last look: it ends before the counters it speaks of.
    if (read.head === undefined || read.head !== head) newEra(read.head);
    else calm += 1;
    if (read.stands && message.writes) head = token;
    noteLooked(message);
    lastReading = batch.number;
    message.shown.forEach((cell, i) => {
      cell.amount = read.amounts[i]!;
      cell.era = era;
      cell.readIn = batch.number;
    });
    if (read.stands) {
      for (const { waiting, outcome } of batch.decided) settle(waiting, outcome);
      batch.decided.length = 0;
    }
    requeue(batch);
  }

  function newEra(seen: string | undefined): void {
    // A head that is seen for the first time is nobody's interference.
    if (head !== undefined) calm = 0;
    head = seen;
    era += 1;
  }

  /** Those that fell and those that wait for a reading go first, in the order in which they came. */
  function requeue(batch: Batch): void {
    const again: Waiting[] = [];
    for (const { waiting } of batch.decided) {
      if (batch.proof === "bounds") waiting.conflicts += 1;
      if (waiting.conflicts >= CONTENDED_AFTER) settle(waiting, { error: new ContendedError() });
      else again.push(waiting);
    }
    for (const waiting of batch.deferred) again.push(waiting);
    again.sort((one, other) => one.since - other.since);
    line = [...again.filter(({ answered }) => !answered), ...line];
  }

  function fail(batch: Batch, error: StoreError): void {
    newEra(undefined);
    const nothing = new StoreError(error.message, { applied: "no", cause: error.cause });
    for (const { waiting, adds } of batch.decided) settle(waiting, { error: adds ? error : nothing });
    for (const waiting of batch.deferred) settle(waiting, { error: nothing });
  }

  function settle(waiting: Waiting, outcome: Outcome): void {
    if (waiting.answered) return;
    waiting.answered = true;
    waiting.answer(outcome);
  }

  function goOn(): void {
    underWay = undefined;
    stuck = false;
    if (line.length > 0) serve();
  }

  function giveUp(askedBefore: number): void {
    const late = (applied: StoreError["applied"]): Outcome => ({
      error: new StoreError("Redis did not answer in time.", { applied }),
    });
    const patient = line.findIndex(({ since }) => since > askedBefore);
    const overdue = line.splice(0, patient === -1 ? line.length : patient);
    for (const waiting of overdue) settle(waiting, late("no"));
    if (underWay === undefined) return;
    const { decided, deferred } = underWay;
    for (const { waiting, adds } of decided)
      if (waiting.since <= askedBefore) settle(waiting, late(adds ? "unknown" : "no"));
    for (const waiting of deferred) if (waiting.since <= askedBefore) settle(waiting, late("no"));
    stuck = decided.every(({ waiting }) => waiting.answered) && deferred.every(({ answered }) => answered);
  }
}
