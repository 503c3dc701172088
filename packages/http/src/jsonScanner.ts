import { boundedBytes, type BoundedBytes } from "./boundedBytes.js";
import type { WordFinder } from "./wordFinder.js";

/** Where a value stands: `keys[0 … depth − 1]`, an object's key or `"[]"` for any element of an array. */
export type JsonPath = readonly string[];

/** What to do with a value: hand its text over whole, count the bytes of its text, or pass over it (its children are asked about). */
export type JsonWish = "keep" | "count" | "skip";

/** A value that was kept: its JSON text, and where it stood. */
export interface KeptJson {
  readonly text: string;
  /** Offset of its first byte from the first byte that was pushed. */
  readonly start: number;
  /** Offset behind its last byte. */
  readonly end: number;
}

export interface JsonVisitor {
  /**
   * The keys that it asks about. A path has them as they are; whether it has the text of any other key, or an empty one, is not
   * promised: making a text of each would take more memory than all the rest.
   */
  readonly keys: WordFinder;
  /** Asked at the beginning of each value outside a kept one. The path is only lent: it changes when the scanner moves on. */
  wants(path: JsonPath, depth: number): JsonWish;
  kept(path: JsonPath, depth: number, value: KeptJson): void;
  /** So many UTF-8 bytes of text stood in strings that were wanted as `"count"`; an escape counts as the character it stands for. */
  counted(bytes: number): void;
  /** A whole document has passed: the brackets that it opened are closed. */
  closed(): void;
}

export interface JsonScanner {
  push(chunk: Uint8Array, from?: number, to?: number): void;
  /** Forgets an unfinished document: the next byte begins a new one. Offsets go on. */
  restart(): void;
}

/**
 * Looks for a few values in JSON as its bytes pass, cut anywhere, in constant memory: a document of any size is never held.
 * A kept value larger than `keepLimit` bytes (default 16 384) is passed over; beyond 32 levels nothing is asked or counted,
 * so depth costs no memory. It is not a validator: on input that is not JSON it finds nothing or something, and never throws.
 */
export function jsonScanner(visitor: JsonVisitor, keepLimit = 16_384): JsonScanner {
  const keys: string[] = [];
  /** One bit per level: whether it is an object. */
  let objects = 0;
  // What a chunk's end cut in two; most answers come in one.
  let key: BoundedBytes | undefined;
  let kept: BoundedBytes | undefined;
  /** What to add to an index in the chunk at hand to get an offset in the input. */
  let base = 0;
  let depth = 0;
  let keyNext = false;
  let inScalar = false;
  let string: "none" | "key" | "counted" | "passed" = "none";
  /** 0: no escape; 1: behind a backslash; 2 to 5: so many less one of the four digits of a \u are still to come. */
  let escape = 0;
  /** While a value is kept: the depth at which it began, and the offset of its first byte. */
  let keepDepth = -1;
  let keepStart = 0;

  function insideString(): boolean {
    return string !== "none";
  }

  function begin(at: number): JsonWish {
    if (keepDepth >= 0 || depth > DEEPEST) return "skip";
    const wish = visitor.wants(keys, depth);
    if (wish === "keep") {
      keepDepth = depth;
      keepStart = at;
    }
    return wish;
  }

  function endKept(chunk: Uint8Array, from: number, to: number): void {
    const text = textBehind(kept, keepLimit, chunk, from, to);
    const end = base + to;
    keepDepth = -1;
    if (text !== undefined) visitor.kept(keys, depth, { text, start: keepStart, end });
  }

  function reset(): void {
    depth = 0;
    keyNext = false;
    inScalar = false;
    string = "none";
    escape = 0;
    keepDepth = -1;
    key?.clear();
    kept?.clear();
  }

  function scan(chunk: Uint8Array, first: number, to: number): void {
    /** Where, in this chunk, the bytes of the kept value begin. */
    let keepFrom = first;
    let i = first;
    while (i < to) {
      if (insideString()) {
        i = scanString(chunk, i, to);
        if (!insideString() && keepDepth === depth) endKept(chunk, keepFrom, i);
        continue;
      }
      const byte = chunk[i]!;
      if (inScalar) {
        if (!endsScalar(byte)) {
          i++;
          continue;
        }
        inScalar = false;
        if (keepDepth === depth) endKept(chunk, keepFrom, i);
      }
      if (byte === QUOTE) {
        if (keyNext && depth > 0 && depth <= DEEPEST && keepDepth < 0) {
          string = "key";
          key?.clear();
        } else {
          const wish = keyNext && depth > 0 ? "skip" : begin(base + i);
          if (wish === "keep") keepFrom = i;
          string = wish === "count" ? "counted" : "passed";
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (begin(base + i) === "keep") keepFrom = i;
        if (depth < DEEPEST) {
          if (byte === OPEN_OBJECT) objects |= 1 << depth;
          else objects &= ~(1 << depth);
          keys[depth] = "[]";
        }
        depth++;
        keyNext = byte === OPEN_OBJECT;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        keyNext = false;
        if (depth > 0) {
          depth--;
          if (keepDepth === depth) endKept(chunk, keepFrom, i + 1);
          if (depth === 0) visitor.closed();
        }
      } else if (byte === COMMA)
        keyNext = depth > 0 && depth <= DEEPEST && (objects & (1 << (depth - 1))) !== 0;
      else if (byte === COLON) keyNext = false;
      else if (!isSpace(byte)) {
        if (begin(base + i) === "keep") keepFrom = i;
        inScalar = true;
      }
      i++;
    }
    if (keepDepth >= 0) (kept ??= boundedBytes(keepLimit)).append(chunk, keepFrom, to);
  }

  /** Reads on inside a string; returns where it stopped: behind the closing quote, or at `to`. */
  function scanString(chunk: Uint8Array, from: number, to: number): number {
    let i = from;
    let bytes = 0;
    while (i < to) {
      if (escape === 0) {
        const start = i;
        while (i < to && chunk[i] !== QUOTE && chunk[i] !== BACKSLASH) i++;
        bytes += i - start;
        if (i === to) break;
        if (chunk[i] === BACKSLASH) escape = 1;
      } else if (escape === 1) {
        escape = chunk[i] === LOWER_U ? 5 : 0;
        // Three bytes: what most characters that get written as \u take in UTF-8.
        bytes += escape === 0 ? 1 : 3;
        i++;
        continue;
      } else {
        escape = escape === 2 ? 0 : escape - 1;
        i++;
        continue;
      }
      if (chunk[i] === QUOTE) {
        if (string === "key") {
          const isPlain = bytes === i - from && isEmpty(key);
          keys[depth - 1] = isPlain
            ? visitor.keys(chunk, from, i)
            : decodeKey(textBehind(key, LONGEST_KEY, chunk, from, i) ?? "");
        } else if (string === "counted" && bytes > 0) visitor.counted(bytes);
        string = "none";
        return i + 1;
      }
      i++;
    }
    if (string === "key") (key ??= boundedBytes(LONGEST_KEY)).append(chunk, from, to);
    else if (string === "counted" && bytes > 0) visitor.counted(bytes);
    return to;
  }

  return {
    push(chunk, from = 0, to = chunk.length) {
      base -= from;
      scan(chunk, from, to);
      base += to;
    },
    restart: reset,
  };
}

/** Far above what the looked-for values need (the text of a tool call inside an answer is the deepest). */
const DEEPEST = 32;
const LONGEST_KEY = 64;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const LOWER_U = 117;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The text of what is held and of what follows it, `chunk[from, to)`; undefined if it is too long. What lies in one chunk is not copied. */
function textBehind(
  held: BoundedBytes | undefined,
  limit: number,
  chunk: Uint8Array,
  from: number,
  to: number,
): string | undefined {
  if (held === undefined || isEmpty(held)) return to - from > limit ? undefined : textOf(chunk, from, to);
  held.append(chunk, from, to);
  const text = held.overflown() ? undefined : textOf(held.view(), 0, held.size());
  held.clear();
  return text;
}

function isEmpty(held: BoundedBytes | undefined): boolean {
  return held === undefined || (held.size() === 0 && !held.overflown());
}

/** Most values are short ASCII, for which a decoder costs more than all the rest. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > 32) return UTF8.decode(bytes.subarray(from, to));
  let text = "";
  for (let i = from; i < to; i++) {
    if (bytes[i]! > 0x7f) return UTF8.decode(bytes.subarray(from, to));
    text += String.fromCharCode(bytes[i]!);
  }
  return text;
}

/** Keeps nothing between two texts; making one costs more than a short answer's scan. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

function endsScalar(byte: number): boolean {
  return (
    isSpace(byte) ||
    byte === COMMA ||
    byte === CLOSE_OBJECT ||
    byte === CLOSE_ARRAY ||
    byte === QUOTE ||
    byte === COLON
  );
}

function decodeKey(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return ""; // not JSON: a key that nobody looks for
  }
}
