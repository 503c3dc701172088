/** What a line of an event stream can set; everything else is passed over, as the standard says. */
export type SseField = "data" | "event" | "id" | "retry";

/** Told of an event stream's fields as their bytes pass; nothing is buffered on the way. */
export interface SseSink {
  /** A piece of a field's value: `chunk[from, to)`. A value may come in any number of pieces, or in none. */
  value(field: SseField, chunk: Uint8Array, from: number, to: number): void;
  /** The line that set this field is complete. */
  line(field: SseField): void;
  /** A blank line: the event is complete. */
  blank(): void;
}

export interface SseFields {
  push(chunk: Uint8Array): void;
  /** The end of the stream: a line without its line end is completed. Not a blank line. */
  finish(): void;
}

/**
 * Splits the bytes of a `text/event-stream` into fields, in constant memory, wherever the chunks are cut.
 * Source: WHATWG HTML, "Server-sent events", parsing an event stream. Line ends, colons and field names are ASCII, and no
 * byte of a longer UTF-8 character is, so bytes can be split before they are decoded.
 */
export function sseFields(sink: SseSink): SseFields {
  let name = "";
  let colon = false;
  let valueStarted = false;
  let afterCr = false;
  let firstLine = true;

  function endLine(): void {
    if (!colon && name === "") sink.blank();
    else {
      const field = fieldNamed(name);
      if (field !== undefined) sink.line(field);
    }
    name = "";
    colon = false;
    valueStarted = false;
    firstLine = false;
  }

  return {
    push(chunk) {
      let i = 0;
      while (i < chunk.length) {
        const byte = chunk[i]!;
        if (byte === LF || byte === CR) {
          const endsCrLf = byte === LF && afterCr;
          afterCr = byte === CR;
          if (!endsCrLf) endLine();
          i++;
          continue;
        }
        afterCr = false;
        if (!colon) {
          if (byte === COLON) colon = true;
          else if (name.length <= LONGEST_NAME) name += String.fromCharCode(byte);
          if (firstLine && !colon && name.length === BOM.length) {
            if (name === BOM) name = "";
            firstLine = false;
          }
          i++;
          continue;
        }
        if (!valueStarted) {
          valueStarted = true;
          if (byte === SPACE) {
            i++;
            continue;
          }
        }
        const to = endOfValue(chunk, i);
        const field = fieldNamed(name);
        if (field !== undefined) sink.value(field, chunk, i, to);
        i = to;
      }
    },
    finish() {
      if (colon || name !== "") endLine();
    },
  };
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
/** The three bytes of a byte order mark, one character each. */
const BOM = "\u00ef\u00bb\u00bf";
const LONGEST_NAME = 5;

function fieldNamed(name: string): SseField | undefined {
  return name === "data" || name === "event" || name === "id" || name === "retry" ? name : undefined;
}

function endOfValue(chunk: Uint8Array, from: number): number {
  let to = from;
  while (to < chunk.length && chunk[to] !== LF && chunk[to] !== CR) to++;
  return to;
}
