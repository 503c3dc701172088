import { boundedBytes } from "./boundedBytes.js";
import { sseFields, type SseField } from "./sseFields.js";

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  /** The event's type; `"message"` when the stream names none. */
  readonly event: string;
  /** The data lines, joined by line feeds. */
  readonly data: string;
  /** The last event id the stream has set so far; empty before any. */
  readonly lastEventId: string;
}

export interface SseDecoder {
  /** Reads on; returns the events that this chunk completed. */
  push(chunk: Uint8Array): ServerSentEvent[];
  /**
   * The stream has ended. Returns the event that had no blank line behind it, if there is one with data: a browser drops it, yet
   * it may be the one that carries the usage. The caller decides.
   */
  finish(): ServerSentEvent | undefined;
  /** How many events were passed over because they were larger than the limit. */
  skipped(): number;
}

/**
 * Reads server-sent events from bytes, cut anywhere (inside a CRLF, inside a UTF-8 character).
 * Source: WHATWG HTML, "Server-sent events". An event whose fields take more than `limit` bytes (default 1 MiB) is passed over
 * without being kept; later events are read as usual. `retry` is not reported: nothing here reconnects.
 */
export function sseDecoder({ limit = 1_048_576 }: { readonly limit?: number } = {}): SseDecoder {
  // The mark at the very start is taken off by the splitter; one inside an event is a character like any other.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const data = boundedBytes(limit);
  const event = boundedBytes(limit);
  const id = boundedBytes(limit);
  let hasData = false;
  let eventType = "";
  let lastEventId = "";
  let skipped = 0;
  let completed: ServerSentEvent[] = [];

  function bufferOf(field: SseField) {
    return field === "data" ? data : field === "event" ? event : field === "id" ? id : undefined;
  }

  const fields = sseFields({
    value(field, chunk, from, to) {
      bufferOf(field)?.append(chunk, from, to);
    },
    line(field) {
      if (field === "data") {
        hasData = true;
        data.append(LINE_FEED, 0, 1);
      } else if (field === "event") {
        if (!event.overflown()) eventType = decoder.decode(event.view());
        event.clear();
      } else if (field === "id") {
        const value = decoder.decode(id.view());
        // An id with a NUL in it is to be ignored, says the standard.
        if (!id.overflown() && !value.includes("\0")) lastEventId = value;
        id.clear();
      }
    },
    blank() {
      const finished = take();
      if (finished !== undefined) completed.push(finished);
    },
  });

  function take(): ServerSentEvent | undefined {
    let finished: ServerSentEvent | undefined;
    if (data.overflown()) skipped++;
    else if (hasData) {
      const text = decoder.decode(data.view().subarray(0, data.size() - 1));
      finished = { event: eventType === "" ? "message" : eventType, data: text, lastEventId };
    }
    hasData = false;
    eventType = "";
    data.clear();
    return finished;
  }

  return {
    push(chunk) {
      fields.push(chunk);
      const events = completed;
      if (events.length > 0) completed = [];
      return events;
    },
    finish() {
      fields.finish();
      return take();
    },
    skipped: () => skipped,
  };
}

const LINE_FEED = new Uint8Array([10]);
