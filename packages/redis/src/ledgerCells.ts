import type { EpochMs } from "@quota/core";
import type { Counter, CounterId, LedgerId } from "@quota/engine";
import { fieldOf, ledgerKeys } from "./ledgerKeys.js";

/** One counter as this process knows it, and what the batch at hand does to it. */
export interface Cell {
  readonly hash: BucketHash;
  readonly field: string;
  /** As last read, or written. */
  amount: number;
  /** In which era of the ledger the amount was seen to be so; `undefined`: it was never read. */
  era: number | undefined;
  /** The number of the batch whose reply showed it last. */
  readIn: number;

  /** The number of the batch that these belong to. */
  batch: number;
  /** What earlier verdicts of the batch add. */
  delta: number;
  /** How far the amount may have risen, when the batch is committed, before one of its verdicts falls. */
  bound: number;
  /** Some verdict stands at exactly this amount. */
  exact: boolean;
  /** Somebody waits to see it. */
  wanted: boolean;
}

/** The counters of one bucket, which are one hash in Redis. */
export interface BucketHash {
  readonly key: string;
  readonly cells: Map<CounterId, Cell>;
  /** The latest end that was asked for. */
  expiresAt: EpochMs;
  /** When to see again that the hash has an end, on the monotone clock. */
  lookAgainAt: number;
}

/** What one process knows of a ledger's counters. */
export interface LedgerCells {
  readonly headKey: string;
  readonly size: number;
  /** The cells of these counters, aligned; a counter that has expired has none. */
  of(counters: readonly Counter[], now: EpochMs): readonly (Cell | undefined)[];
  /** Forgets buckets that have expired. Between batches only. */
  trim(now: EpochMs): void;
  /** Forgets all but what this batch has shown, since its steps may still wait to be decided on it. Between batches only. */
  keepReadIn(batch: number): void;
}

export function createLedgerCells(prefix: string, ledger: LedgerId): LedgerCells {
  const keys = ledgerKeys(prefix, ledger);
  const hashes = new Map<number, BucketHash>();
  /** Callers ask with the same list again and again. */
  let sheets = new WeakMap<readonly Counter[], Sheet>();
  let size = 0;

  const cellOf = ({ id, bucket, expiresAt }: Counter): Cell => {
    let hash = hashes.get(bucket);
    if (hash === undefined)
      hashes.set(bucket, (hash = { key: keys.hashOf(bucket), cells: new Map(), expiresAt, lookAgainAt: 0 }));
    if (expiresAt > hash.expiresAt) {
      hash.expiresAt = expiresAt;
      hash.lookAgainAt = 0;
    }
    let cell = hash.cells.get(id);
    if (cell === undefined) {
      cell = newCell(hash, fieldOf(id));
      hash.cells.set(id, cell);
      size += 1;
    }
    return cell;
  };

  return {
    headKey: keys.head,
    get size() {
      return size;
    },

    of(counters, now) {
      let sheet = sheets.get(counters);
      if (sheet === undefined) {
        sheet = {
          cells: counters.map(cellOf),
          // Infinity, where there are none.
          expiresAt: counters.reduce((least, counter) => Math.min(least, counter.expiresAt), Infinity),
        };
        sheets.set(counters, sheet);
      }
      if (sheet.expiresAt > now) return sheet.cells;
      return sheet.cells.map((cell, i) => (counters[i]!.expiresAt > now ? cell : undefined));
    },

    trim(now) {
      let dropped = 0;
      for (const [bucket, { cells, expiresAt }] of hashes) {
        if (expiresAt > now) continue;
        hashes.delete(bucket);
        dropped += cells.size;
      }
      if (dropped === 0) return;
      size -= dropped;
      sheets = new WeakMap();
    },

    keepReadIn(batch) {
      size = 0;
      for (const [bucket, { cells }] of hashes) {
        for (const [id, { era, readIn }] of cells)
          if (era === undefined || readIn !== batch) cells.delete(id);
        if (cells.size === 0) hashes.delete(bucket);
        size += cells.size;
      }
      sheets = new WeakMap();
    },
  };
}

interface Sheet {
  readonly cells: readonly Cell[];
  readonly expiresAt: EpochMs;
}

function newCell(hash: BucketHash, field: string): Cell {
  return {
    hash,
    field,
    amount: 0,
    era: undefined,
    readIn: 0,
    batch: 0,
    delta: 0,
    bound: Infinity,
    exact: false,
    wanted: false,
  };
}
