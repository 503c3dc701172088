import type { EpochMs } from "@quota/core";
import type { Step } from "@quota/engine";
import { checkedAdditions } from "./checkedAdditions.js";
import type { Cell } from "./ledgerCells.js";

/** A step that has been asked for and not answered. */
export interface Waiting {
  readonly step: Step<unknown>;
  readonly answer: (outcome: Outcome) => void;
  /** When it was asked, on the monotone clock. */
  readonly since: number;
  /** The number of the batch that was sent last when it was asked: what later ones showed is fresh. */
  readonly after: number;
  conflicts: number;
  answered: boolean;
}

/** What a step ends with. */
export type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * How verdicts are held to what they were decided on when the batch is committed.
 * `unchanged`: nobody has changed the ledger. `bounds`: every counter is within the bounds of every verdict.
 */
export type Proof = "unchanged" | "bounds";

/** Steps decided together, one after the other, each on what the ones before it leave. */
export interface Batch {
  readonly number: number;
  readonly proof: Proof;
  /** Stand if the commit says so. `adds`: something would be written. */
  readonly decided: { readonly waiting: Waiting; readonly outcome: Outcome; readonly adds: boolean }[];
  /** Are decided on what the reply shows. */
  readonly deferred: Waiting[];
  /** All that is looked at; only some of it has to be sent. */
  readonly cells: Cell[];
  now: EpochMs;
}

export function newBatch(number: number, proof: Proof): Batch {
  return { number, proof, decided: [], deferred: [], cells: [], now: 0 };
}

/**
 * Takes a step into a batch: decides it on what is known and on what the batch adds before it.
 *
 * A verdict that can be checked when it is committed may be decided on an old reading. One that cannot (a refusal, an error)
 * must not be: it is final if the reading is fresh (it was made after the step was asked, all at one moment) and nothing in the
 * batch comes before it; else it waits for the reply, which shows its counters.
 */
export function takeInto(
  batch: Batch,
  waiting: Waiting,
  { cells, lastReading }: { readonly cells: readonly (Cell | undefined)[]; readonly lastReading: number },
): void {
  const { decide, now } = waiting.step;
  batch.now = Math.max(batch.now, now);
  let live = 0;
  let known = true;
  let fresh = lastReading > waiting.after;
  let untouched = true;
  const amounts = new Array<number>(cells.length);
  for (let i = 0; i < cells.length; i += 1) {
    const cell = cells[i];
    if (cell === undefined) {
      amounts[i] = 0;
      continue;
    }
    live += 1;
    if (cell.batch !== batch.number) look(cell, batch);
    if (cell.era === undefined) known = false;
    if (cell.readIn !== lastReading) fresh = false;
    if (cell.delta !== 0) untouched = false;
    amounts[i] = cell.amount + cell.delta;
  }
  if (!known) {
    defer(batch, waiting, cells);
    return;
  }

  const final = live === 0 || (batch.proof === "bounds" && fresh && untouched);
  try {
    const verdict = decide(amounts);
    const additions = checkedAdditions(verdict.additions, amounts);
    const adds = additions.some((addition, i) => addition !== 0 && cells[i] !== undefined);
    const outcome = { result: verdict.result };
    if (!adds && final) {
      waiting.answer(outcome);
      return;
    }
    if (batch.proof === "bounds") {
      // Read once: it is worked out when it is asked for.
      const { holdsUpTo } = verdict;
      if (!adds && holdsUpTo === undefined) {
        defer(batch, waiting, cells);
        return;
      }
      hold(cells, amounts, holdsUpTo);
    }
    for (let i = 0; i < cells.length; i += 1) {
      const cell = cells[i];
      if (cell !== undefined) cell.delta += additions[i]!;
    }
    batch.decided.push({ waiting, outcome, adds });
  } catch (error) {
    if (final) waiting.answer({ error });
    else if (batch.proof === "unchanged") batch.decided.push({ waiting, outcome: { error }, adds: false });
    else defer(batch, waiting, cells);
  }
}

function look(cell: Cell, batch: Batch): void {
  cell.batch = batch.number;
  cell.delta = 0;
  cell.bound = Infinity;
  cell.exact = false;
  cell.wanted = false;
  batch.cells.push(cell);
}

function defer(batch: Batch, waiting: Waiting, cells: readonly (Cell | undefined)[]): void {
  for (const cell of cells) if (cell !== undefined) cell.wanted = true;
  batch.deferred.push(waiting);
}

/** A bound speaks of the amount this verdict was shown; what the batch adds before it is taken off again. */
function hold(
  cells: readonly (Cell | undefined)[],
  amounts: readonly number[],
  holdsUpTo: readonly (number | undefined)[] | undefined,
): void {
  for (let i = 0; i < cells.length; i += 1) {
    const cell = cells[i];
    if (cell === undefined) continue;
    const bound = holdsUpTo?.[i];
    if (bound !== undefined && bound >= amounts[i]!) cell.bound = Math.min(cell.bound, bound - cell.delta);
    else cell.exact = true;
  }
}
