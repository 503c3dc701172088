import { isRecord } from "@quota/core";
import { jsonScanner } from "./jsonScanner.js";
import { parseJson } from "./parseJson.js";
import { startOfText } from "./startOfText.js";
import { wordFinder } from "./wordFinder.js";

/** The request to send, and whether usage was asked for on the client's behalf (then take the answer's extra chunk out again). */
export interface UsageRequest {
  readonly body: Uint8Array;
  readonly added: boolean;
}

/**
 * Asks for the usage of a streamed OpenAI chat answer, which comes only on request: sets `stream_options.include_usage` in the
 * request's JSON unless the client did, or does not stream. Every other byte stays as the client wrote it (numbers past 2^53,
 * spacing, the order of keys). A body that is not such a request is returned as it is.
 */
export function includeUsage(body: Uint8Array): UsageRequest {
  const unchanged: UsageRequest = { body, added: false };
  const open = startOfText(body);
  if (body[open] !== OPEN_OBJECT) return unchanged;

  const found: Found = { streams: false, options: undefined, documents: 0 };
  // As in `JSON.parse`, the last of several equal keys counts.
  const scanner = jsonScanner({
    keys: ASKED_KEYS,
    wants: (path, depth) =>
      depth === 1 && (path[0] === "stream" || path[0] === "stream_options") ? "keep" : "skip",
    kept(path, _depth, { text, start, end }) {
      if (path[0] === "stream") found.streams = text === "true";
      else found.options = { start: open + start, end: open + end, value: parseJson(text) };
    },
    counted: () => undefined,
    closed: () => found.documents++,
  });
  scanner.push(body, open);
  const { streams, options, documents } = found;
  if (!streams || documents !== 1) return unchanged;

  if (options === undefined)
    return {
      body: spliced(body, { start: open + 1, end: open + 1, text: `"stream_options":${ASKING},` }),
      added: true,
    };
  const { start, end, value } = options;
  if (value === null) return { body: spliced(body, { start, end, text: ASKING }), added: true };
  if (!isRecord(value) || value["include_usage"] === true) return unchanged;
  return {
    body: spliced(body, { start, end, text: JSON.stringify({ ...value, include_usage: true }) }),
    added: true,
  };
}

interface Found {
  streams: boolean;
  options: { readonly start: number; readonly end: number; readonly value: unknown } | undefined;
  documents: number;
}

const OPEN_OBJECT = 123;
const ASKED_KEYS = wordFinder(["stream", "stream_options"]);
const ASKING = '{"include_usage":true}';

function spliced(
  body: Uint8Array,
  { start, end, text }: { readonly start: number; readonly end: number; readonly text: string },
): Uint8Array {
  const insert = new TextEncoder().encode(text);
  const result = new Uint8Array(body.length - (end - start) + insert.length);
  result.set(body.subarray(0, start));
  result.set(insert, start);
  result.set(body.subarray(end), start + insert.length);
  return result;
}
