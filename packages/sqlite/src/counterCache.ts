import type { Counter, CounterId, LedgerId } from "@quota/engine";
import type { Database } from "better-sqlite3";

/** One counter as this process knows it. */
export interface Cell {
  readonly name: CounterName;
  readonly bucket: number;
  amount: number;
  expiresAt: number;
  /** What the file holds; undefined: no row. */
  stored: { amount: number; expiresAt: number } | undefined;
  /** Waits to be written at the end of this batch. */
  changed: boolean;
}

/** A ledger's counter id, with the key that the file has for it and the buckets that were looked at. */
interface CounterName {
  readonly ledger: LedgerId;
  readonly id: CounterId;
  /** Undefined: the file has no row for it. */
  key: number | undefined;
  cells: Cell[];
}

type Names = Map<LedgerId, Map<CounterId, CounterName>>;

/** What the file says about counters, and what was added to that since. Used inside a write transaction only. */
export interface CounterCache {
  /** The cells of these counters, aligned; what is not known yet is read. */
  cellsOf(ledger: LedgerId, counters: readonly Counter[]): Cell[];
  /** Writes the cells that have changed; a cell that is back at its old amount costs nothing. */
  write(changed: readonly Cell[]): void;
  /** Forgets everything: the file has changed behind our back. */
  clear(): void;
  /** Forgets what has not been asked for in a long while. Between batches only: unwritten cells would be lost. */
  trim(): void;
}

/**
 * Keeps the hot counters at hand. Two generations: what is asked for moves to the young one; when that has grown to half of
 * `maxCells`, it becomes the old one and the old one is dropped.
 */
export function createCounterCache(connection: Database, maxCells: number): CounterCache {
  const statements = prepareStatements(connection);
  let young: Names = new Map();
  let old: Names = new Map();
  let size = 0;

  return {
    cellsOf(ledger, counters) {
      const cells: Cell[] = [];
      const names = youngOf(ledger);
      let name: CounterName | undefined;
      // Neighbours of one id share one look-up.
      for (const { id, bucket, expiresAt } of counters) {
        if (name?.id !== id)
          name = names.get(id) ?? promote(names, ledger, id) ?? load(names, { ledger, id, counters });
        cells.push(find(name, bucket) ?? loadMissing(name, counters, bucket) ?? add(name, bucket, expiresAt));
      }
      return cells;
    },

    write(changed) {
      for (const cell of changed) {
        cell.changed = false;
        writeCell(cell);
      }
    },

    clear() {
      young = new Map();
      old = new Map();
      size = 0;
    },

    trim() {
      if (size <= maxCells / 2) return;
      old = young;
      young = new Map();
      size = 0;
    },
  };

  function youngOf(ledger: LedgerId): Map<CounterId, CounterName> {
    const known = young.get(ledger);
    if (known) return known;
    const names = new Map<CounterId, CounterName>();
    young.set(ledger, names);
    return names;
  }

  function promote(
    names: Map<CounterId, CounterName>,
    ledger: LedgerId,
    id: CounterId,
  ): CounterName | undefined {
    const name = old.get(ledger)?.get(id);
    if (name === undefined) return undefined;
    old.get(ledger)?.delete(id);
    names.set(id, name);
    size += name.cells.length;
    return name;
  }

  /** A counter that was not looked at before: one query for its key and for all the buckets that this step asks for. */
  function load(
    names: Map<CounterId, CounterName>,
    {
      ledger,
      id,
      counters,
    }: { readonly ledger: LedgerId; readonly id: CounterId; readonly counters: readonly Counter[] },
  ): CounterName {
    const { from, to } = bucketsOf(id, counters);
    const rows = statements.named.all(from, to, ledger, id);
    const name: CounterName = { ledger, id, key: rows[0]?.[0], cells: [] };
    names.set(id, name);
    for (const [, bucket, amount, expiresAt] of rows)
      if (bucket !== null) addStored(name, { bucket, amount, expiresAt });
    for (const counter of counters)
      if (counter.id === id && !find(name, counter.bucket)) add(name, counter.bucket, counter.expiresAt);
    return name;
  }

  /** A bucket that was not looked at before, of a counter that was: the window has moved, or this is another window's question. */
  function loadMissing(name: CounterName, counters: readonly Counter[], bucket: number): Cell | undefined {
    dropUnasked(name, counters);
    if (name.key === undefined) return undefined;
    const row = statements.keyed.get(name.key, bucket);
    return row && addStored(name, { bucket, amount: row[0], expiresAt: row[1] });
  }

  function addStored(
    name: CounterName,
    {
      bucket,
      amount,
      expiresAt,
    }: { readonly bucket: number; readonly amount: number; readonly expiresAt: number },
  ): Cell {
    const cell = { name, bucket, amount, expiresAt, stored: { amount, expiresAt }, changed: false };
    name.cells.push(cell);
    size += 1;
    return cell;
  }

  function add(name: CounterName, bucket: number, expiresAt: number): Cell {
    const cell = { name, bucket, amount: 0, expiresAt, stored: undefined, changed: false };
    name.cells.push(cell);
    size += 1;
    return cell;
  }

  /** A name that is used all year would gather every bucket it ever had: keep those that are asked for now, and the unwritten. */
  function dropUnasked(name: CounterName, counters: readonly Counter[]): void {
    if (name.cells.length < MANY_CELLS) return;
    const asked = new Set<number>();
    for (const counter of counters) if (counter.id === name.id) asked.add(counter.bucket);
    const kept = name.cells.filter((cell) => cell.changed || asked.has(cell.bucket));
    size -= name.cells.length - kept.length;
    name.cells = kept;
  }

  function writeCell(cell: Cell): void {
    const { name, bucket, amount, expiresAt, stored } = cell;
    if (stored === undefined) {
      if (amount === 0) return;
      name.key ??= Number(statements.insertName.run(name.ledger, name.id).lastInsertRowid);
      statements.insert.run(name.key, bucket, amount, expiresAt);
      cell.stored = { amount, expiresAt };
      return;
    }
    if (stored.expiresAt !== expiresAt) statements.updateExpiry.run(amount, expiresAt, name.key, bucket);
    else if (stored.amount !== amount) statements.update.run(amount, name.key, bucket);
    stored.amount = amount;
    stored.expiresAt = expiresAt;
  }
}

/** From how many buckets of one counter on those that nobody asks for are dropped. Sixty slots of a window fit. */
const MANY_CELLS = 100;

function find(name: CounterName, bucket: number): Cell | undefined {
  for (const cell of name.cells) if (cell.bucket === bucket) return cell;
  return undefined;
}

function bucketsOf(id: CounterId, counters: readonly Counter[]): { from: number; to: number } {
  let from = Infinity;
  let to = -Infinity;
  for (const counter of counters) {
    if (counter.id !== id) continue;
    if (counter.bucket < from) from = counter.bucket;
    if (counter.bucket > to) to = counter.bucket;
  }
  return { from, to };
}

function prepareStatements(connection: Database) {
  return {
    named: connection
      .prepare<
        [number, number, string, string],
        [number, null, null, null] | [number, number, number, number]
      >(
        `SELECT name.counter, cell.bucket, cell.amount, cell.expires_at
         FROM quota_counters AS name
         LEFT JOIN quota_consumption AS cell ON cell.counter = name.counter AND cell.bucket BETWEEN ? AND ?
         WHERE name.ledger = ? AND name.id = ?`,
      )
      .raw(),
    keyed: connection
      .prepare<[number, number], [number, number]>(
        "SELECT amount, expires_at FROM quota_consumption WHERE counter = ? AND bucket = ?",
      )
      .raw(),
    insertName: connection.prepare("INSERT INTO quota_counters (ledger, id) VALUES (?, ?)"),
    insert: connection.prepare(
      "INSERT INTO quota_consumption (counter, bucket, amount, expires_at) VALUES (?, ?, ?, ?)",
    ),
    update: connection.prepare("UPDATE quota_consumption SET amount = ? WHERE counter = ? AND bucket = ?"),
    updateExpiry: connection.prepare(
      "UPDATE quota_consumption SET amount = ?, expires_at = ? WHERE counter = ? AND bucket = ?",
    ),
  };
}
