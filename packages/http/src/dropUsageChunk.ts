import { isRecord } from "@quota/core";
import { boundedBytes } from "./boundedBytes.js";
import { parseJson } from "./parseJson.js";
import { sseDecoder } from "./sseDecoder.js";

/** A filter over the bytes of a stream. */
export interface StreamFilter {
  /** Takes bytes in; returns those that can go on (perhaps none yet). */
  push(chunk: Uint8Array): Uint8Array;
  /** The stream has ended: what was still held back. */
  flush(): Uint8Array;
}

/**
 * Takes the usage chunk (`choices: []` with a `usage` object) out of a streamed OpenAI chat answer, for a client that did not ask for
 * it. Every other byte passes as it came, comments included, wherever the chunks are cut. Bytes are held back until their event is complete,
 * and no more than `limit` of them (default 64 KiB): a larger event is no usage chunk and passes at once.
 */
export function dropUsageChunk({ limit = 65_536 }: { readonly limit?: number } = {}): StreamFilter {
  const decoder = sseDecoder({ limit });
  const held = boundedBytes(limit);
  let lineEmpty = true;
  let afterCr = false;
  /** The last event was dropped, and a line feed that follows its final carriage return goes with it. */
  let dropped = false;
  /** At the very beginning of an event. */
  let fresh = true;
  /** The event at hand is too large to be held back. */
  let passing = false;

  return {
    push(chunk) {
      const out: Uint8Array[] = [];
      let start = 0;

      /** The event at hand ends before `end`. */
      function endEvent(end: number): void {
        const rest = chunk.subarray(start, end);
        const small = !passing && held.size() + rest.length <= limit;
        dropped = decoder.push(rest).some((event) => small && isUsageChunk(event.data));
        if (dropped) out.push(commentsOf(joined([held.view(), rest])));
        else out.push(held.view().slice(), rest);
        held.clear();
        passing = false;
        fresh = true;
        start = end;
      }

      for (let i = 0; i < chunk.length; i++) {
        const byte = chunk[i]!;
        if (byte === LF && afterCr) {
          afterCr = false;
          if (!fresh) continue;
          // The second half of the blank line that ended the last event; the decoder can do without it.
          if (!dropped) out.push(chunk.subarray(i, i + 1));
          start = i + 1;
          continue;
        }
        afterCr = byte === CR;
        if (byte !== LF && byte !== CR) {
          lineEmpty = false;
          fresh = false;
        } else if (lineEmpty) endEvent(i + 1);
        else lineEmpty = true;
      }

      if (start < chunk.length) {
        const rest = chunk.subarray(start);
        decoder.push(rest);
        if (!passing) {
          const before = held.view().slice();
          if (!held.append(rest, 0, rest.length)) {
            passing = true;
            held.clear();
            out.push(before, rest);
          }
        } else out.push(rest);
      }
      return joined(out);
    },
    flush() {
      const last = decoder.finish();
      const rest = held.view().slice();
      held.clear();
      return last !== undefined && !passing && isUsageChunk(last.data) ? commentsOf(rest) : rest;
    },
  };
}

const LF = 10;
const CR = 13;
const COLON = 58;
const NO_CHOICES = /"choices"\s*:\s*\[\s*\]/;

function isUsageChunk(data: string): boolean {
  // Parsing every event of a stream to find its last but one would cost more than all the rest.
  if (!NO_CHOICES.test(data)) return false;
  const chunk = parseJson(data);
  if (!isRecord(chunk)) return false;
  const choices = chunk["choices"];
  return Array.isArray(choices) && choices.length === 0 && isRecord(chunk["usage"]);
}

/** The comment lines of an event (a keep-alive may stand before the data), with their line ends. */
function commentsOf(event: Uint8Array): Uint8Array {
  const comments: Uint8Array[] = [];
  let start = 0;
  for (let i = 0; i < event.length; i++) {
    if (event[i] !== LF && event[i] !== CR) continue;
    if (event[i] === CR && event[i + 1] === LF) i++;
    if (event[start] === COLON) comments.push(event.subarray(start, i + 1));
    start = i + 1;
  }
  return joined(comments);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const filled = pieces.filter((piece) => piece.length > 0);
  if (filled.length === 1) return filled[0]!;
  const result = new Uint8Array(filled.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of filled) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}
