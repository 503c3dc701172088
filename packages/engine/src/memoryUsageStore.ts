import { QuotaConfigError, type EpochMs } from "@quota/core";
import { StoreError } from "./storeError.js";
import type { Counter, CounterId, LedgerId, Step, UsageStore } from "./usageStore.js";

/** Settings of {@link createMemoryUsageStore}. */
export interface MemoryUsageStoreOptions {
  /** How many counters are kept at most (default 1 000 000); a step that needs one more is rejected, whole. */
  readonly maxCounters?: number | undefined;
}

/** One counter as kept, among the other buckets of its id. */
interface Cell {
  readonly bucket: number;
  readonly expiresAt: EpochMs;
  amount: number;
}

/** A ledger's cells by their ids, and how often some were made or dropped. */
interface Ledger {
  readonly ids: Map<CounterId, readonly Cell[]>;
  changes: number;
}

/** Where the counters of a list were found, when the ledger had changed so often. */
interface Found {
  readonly ledger: Ledger;
  readonly changes: number;
  readonly cells: (Cell | undefined)[];
}

/** What a step sees. */
interface Look {
  readonly cells: readonly (Cell | undefined)[];
  readonly amounts: readonly number[];
}

/** Steps leave expired cells alone for this long, since a neighbour's clock may be behind. */
const SWEEP_GRACE_MS = 60_000;
/** Below how many ids a step looks for expired cells: for each cell it makes … */
const SWEPT_PER_CELL = 2;
/** … and when there is no room for them. */
const SWEPT_WHEN_FULL = 1_000;

/**
 * Keeps usage in this process: the reference for every other store. Reading, deciding and adding are one turn of the event
 * loop, so no two steps overlap. What was counted ends with the process, and no other process sees it.
 *
 * It has no timer: expired counters are dropped a few at a time by the steps that make new ones, and by `forget`.
 *
 * @throws {QuotaConfigError} when `maxCounters` is not a whole number above 0.
 * @example
 * const store = createMemoryUsageStore({ maxCounters: 100_000 });
 */
export function createMemoryUsageStore(options: MemoryUsageStoreOptions = {}): UsageStore {
  const maxCounters = parseMaxCounters(options.maxCounters ?? 1_000_000);
  const ledgers = new Map<LedgerId, Ledger>();
  /** Who asks often asks with the same list, and freezes it: where its counters are is found once. */
  const found = new WeakMap<readonly Counter[], Found>();
  const sweeper = sweepForever();
  let size = 0;
  let closed = false;

  return {
    async transact(step) {
      refuseWhenClosed();
      const { ledger, counters, now, decide } = step;
      const { cells, amounts } = look(ledger, counters, now);
      const { result, additions } = decide(amounts);
      const made = cellsToMake(step, cells, additions);
      if (made > 0) makeRoom(made, now);
      for (let i = 0; i < counters.length; i += 1) {
        const addition = additions[i];
        if (addition === undefined || addition === 0) continue;
        const counter = counters[i]!;
        // Nobody reads an expired counter any more: what is added to it is gone with it.
        if (counter.expiresAt <= now) continue;
        const cell = cells[i] ?? make(ledger, counter);
        cell.amount += addition;
      }
      return result;
    },

    async read(ledger, counters) {
      refuseWhenClosed();
      return look(ledger, counters, -Infinity).amounts;
    },

    async forget(before) {
      refuseWhenClosed();
      const sizeBefore = size;
      for (const [ledger, { ids }] of ledgers) for (const id of ids.keys()) drop(ledger, id, before);
      return sizeBefore - size;
    },

    async close() {
      closed = true;
      ledgers.clear();
    },
  };

  /** The cells of the counters that have not expired, and what they hold; both aligned. */
  function look(ledgerId: LedgerId, counters: readonly Counter[], now: EpochMs): Look {
    const amounts = new Array<number>(counters.length).fill(0);
    const ledger = ledgers.get(ledgerId);
    if (ledger === undefined) return { cells: new Array<undefined>(counters.length), amounts };
    const all = cellsOf(ledger, counters);
    let cells: (Cell | undefined)[] = all;
    for (let i = 0; i < all.length; i += 1) {
      const cell = all[i];
      if (cell === undefined) continue;
      if (cell.expiresAt > now && counters[i]!.expiresAt > now) amounts[i] = cell.amount;
      else {
        if (cells === all) cells = all.slice();
        cells[i] = undefined;
      }
    }
    return { cells, amounts };
  }

  /** Neighbours of one id share one look-up. */
  function cellsOf(ledger: Ledger, counters: readonly Counter[]): (Cell | undefined)[] {
    const isLasting = Object.isFrozen(counters);
    const before = isLasting ? found.get(counters) : undefined;
    if (before?.ledger === ledger && before.changes === ledger.changes) return before.cells;
    const cells = new Array<Cell | undefined>(counters.length);
    let id: CounterId | undefined;
    let others: readonly Cell[] | undefined;
    for (let i = 0; i < counters.length; i += 1) {
      const counter = counters[i]!;
      if (counter.id !== id) {
        id = counter.id;
        others = ledger.ids.get(id);
      }
      cells[i] = others === undefined ? undefined : cellIn(others, counter.bucket);
    }
    if (isLasting) found.set(counters, { ledger, changes: ledger.changes, cells });
    return cells;
  }

  /** A cell for a counter that has none, in place of an expired one. */
  function make(ledger: LedgerId, { id, bucket, expiresAt }: Counter): Cell {
    const into = ledgers.get(ledger) ?? { ids: new Map<CounterId, readonly Cell[]>(), changes: 0 };
    const { ids } = into;
    const others = (ids.get(id) ?? []).filter((cell) => cell.bucket !== bucket);
    const cell = { bucket, expiresAt, amount: 0 };
    size += 1 + others.length - (ids.get(id)?.length ?? 0);
    ids.set(id, [cell, ...others]);
    into.changes += 1;
    ledgers.set(ledger, into);
    return cell;
  }

  /** Looks for expired cells, then rejects the step if there is no room for what it makes. */
  function makeRoom(made: number, now: EpochMs): void {
    for (let i = 0; i < made * SWEPT_PER_CELL; i += 1) sweeper.next(now - SWEEP_GRACE_MS);
    for (let i = 0; i < SWEPT_WHEN_FULL && size + made > maxCounters; i += 1) sweeper.next(now);
    if (size + made > maxCounters)
      throw new StoreError(
        `The memory store is full (${String(maxCounters)} counters). Raise maxCounters, or keep usage in another store.`,
        { applied: "no" },
      );
  }

  /** Drops the expired cells of one id after another, round and round; is told at each what counts as expired. */
  function* sweepForever(): Generator<undefined, never, EpochMs> {
    for (;;) {
      let before = yield;
      for (const [ledger, { ids }] of ledgers)
        for (const id of ids.keys()) {
          drop(ledger, id, before);
          before = yield;
        }
    }
  }

  function drop(ledgerId: LedgerId, id: CounterId, before: EpochMs): void {
    const ledger = ledgers.get(ledgerId);
    const cells = ledger?.ids.get(id);
    if (ledger === undefined || cells === undefined || cells.every((cell) => cell.expiresAt >= before))
      return;
    const { ids } = ledger;
    ledger.changes += 1;
    const kept = cells.filter((cell) => cell.expiresAt >= before);
    size -= cells.length - kept.length;
    if (kept.length > 0) ids.set(id, kept);
    else ids.delete(id);
    if (ids.size === 0) ledgers.delete(ledgerId);
  }

  function refuseWhenClosed(): void {
    if (closed) throw new StoreError("The memory store is closed.", { applied: "no" });
  }
}

function cellIn(cells: readonly Cell[], bucket: number): Cell | undefined {
  for (const cell of cells) if (cell.bucket === bucket) return cell;
  return undefined;
}

/**
 * How many cells the additions make. A verdict that does not fit is a fault of whoever decided; a sum past 2^53, of what
 * was counted. Nothing is written either way.
 */
function cellsToMake(
  { counters, now }: Step<unknown>,
  cells: readonly (Cell | undefined)[],
  additions: unknown,
): number {
  if (!Array.isArray(additions) || additions.length !== cells.length)
    throw new TypeError(`decide must return ${String(cells.length)} additions, one for each counter.`);
  let made = 0;
  for (let i = 0; i < cells.length; i += 1) {
    const addition: unknown = additions[i];
    if (addition === 0) continue;
    if (typeof addition !== "number" || !Number.isSafeInteger(addition))
      throw new TypeError(`decide must add whole numbers; additions[${String(i)}] is ${String(addition)}.`);
    const cell = cells[i];
    if (cell === undefined) made += counters[i]!.expiresAt > now ? 1 : 0;
    else if (!Number.isSafeInteger(cell.amount + addition))
      throw new StoreError(`additions[${String(i)}] would take its counter past 2^53 − 1.`, {
        applied: "no",
      });
  }
  return made;
}

function parseMaxCounters(value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "maxCounters",
    problem: "must be a whole number above 0.",
    remedy: "Leave it out for 1 000 000.",
  });
}
