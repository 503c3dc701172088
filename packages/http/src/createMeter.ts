import { isRecord } from "@quota/core";
import { jsonScanner, type JsonPath, type JsonWish, type KeptJson } from "./jsonScanner.js";
import { parseJson } from "./parseJson.js";
import { readUsage, type MeasuredUsage } from "./readUsage.js";
import { sseFields, type SseFields } from "./sseFields.js";
import { startOfText } from "./startOfText.js";
import { tokensInText } from "./tokensInText.js";
import { wordFinder } from "./wordFinder.js";

/** What an answer has taken so far. */
export interface MeasuredAnswer {
  /** What the provider said; `undefined` when it said nothing (yet). A usage of 0 is a value. */
  readonly usage: MeasuredUsage | undefined;
  /** What was produced as far as it passed here: the UTF-8 bytes of its text and tool calls, and an estimate of the tokens. */
  readonly produced: { readonly bytes: number; readonly tokens: number };
  /** True when the answer reached its end, so that `usage` covers all of it. A stream that was cut off stays false. */
  readonly ended: boolean;
}

/** Looks at the bytes of an answer as they pass. It changes nothing and never throws. */
export interface Meter {
  push(chunk: Uint8Array): void;
  /** What is known now; the stream may go on. */
  soFar(): MeasuredAnswer;
  /** The body has ended or was cut off: what is known. */
  finish(): MeasuredAnswer;
}

/**
 * A meter for one answer of any dialect (OpenAI chat, Responses, embeddings; Anthropic messages), JSON or server-sent events: it
 * tells them apart by their first byte and by the names in them, so nothing has to be configured. Chunks may be cut anywhere.
 * The body must not be compressed (ask the provider for `identity`).
 *
 * Memory is constant: bodies and events of any size are scanned as they pass, and only the `usage` objects are kept (up to 16 KiB each; a
 * larger one counts as missing). The last usage that is not null wins. Anthropic's `message_delta` replaces what it names of
 * `message_start` (its numbers are cumulative).
 */
export function createMeter(): Meter {
  const scanner = jsonScanner({
    keys: ASKED_KEYS,
    wants,
    kept,
    counted: (bytes) => (produced += bytes),
    closed: endOfDocument,
  });
  let kind: "undecided" | "json" | "events" = "undecided";
  /** As the provider wrote it, and as it is read. */
  let usage: Readonly<Record<string, unknown>> | undefined;
  let measured: MeasuredUsage | undefined;
  let produced = 0;
  let ended = false;
  let stopped = false;
  // Of the JSON document at hand:
  let type = "";
  let found: Readonly<Record<string, unknown>> | undefined;
  // Of the event at hand:
  let dataLines = 0;
  let head = "";

  let events: SseFields | undefined;

  function readEvents(): SseFields {
    return sseFields({
      value(field, chunk, from, to) {
        if (field !== "data") return;
        for (let i = from; i < to && head.length <= DONE.length; i++) head += String.fromCharCode(chunk[i]!);
        scanner.push(chunk, from, to);
      },
      line(field) {
        if (field === "data") dataLines++;
      },
      blank: endOfEvent,
    });
  }

  function kept(path: JsonPath, depth: number, { text }: KeptJson): void {
    const key = path[depth - 1];
    if (key === "usage") {
      const value = parseJson(text);
      found = isRecord(value) ? value : found;
    } else if (key === "type") type = textIn(text);
    else if (text.startsWith('"')) stopped = true;
  }

  function endOfDocument(): void {
    learn();
    if (kind === "json") ended = true;
  }

  function learn(): void {
    const read = found === undefined ? undefined : readUsage(found);
    if (found !== undefined && read !== undefined) {
      const isChange = type === "message_delta" && usage !== undefined;
      usage = isChange ? merged(usage!, found) : found;
      measured = isChange ? readUsage(usage) : read;
      if (stopped) ended = true;
    }
    if (FINAL_EVENTS.has(type)) ended = true;
    type = "";
    found = undefined;
  }

  function endOfEvent(): void {
    if (dataLines === 1 && head === DONE) ended = true;
    dataLines = 0;
    head = "";
    learn(); // of a document that its event did not finish
    scanner.restart();
  }

  function soFar(): MeasuredAnswer {
    return { usage: measured, produced: { bytes: produced, tokens: tokensInText(produced) }, ended };
  }

  return {
    push(chunk) {
      let from = 0;
      if (kind === "undecided") {
        from = startOfText(chunk);
        if (from === chunk.length) return;
        const first = chunk[from]!;
        kind = first === OPEN_OBJECT || first === OPEN_ARRAY ? "json" : "events";
      }
      if (kind === "json") scanner.push(chunk, from);
      else {
        events ??= readEvents();
        events.push(from === 0 ? chunk : chunk.subarray(from));
      }
    },
    soFar,
    finish() {
      events?.finish();
      if (kind === "events") endOfEvent();
      else learn();
      return soFar();
    },
  };
}

/** The text of a JSON string; empty where it is none. */
function textIn(json: string): string {
  if (!json.startsWith('"')) return "";
  if (!json.includes("\\")) return json.slice(1, -1);
  const value = parseJson(json);
  return typeof value === "string" ? value : "";
}

const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;
const DONE = "[DONE]";
const FINAL_EVENTS: ReadonlySet<string> = new Set([
  "message_stop",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/** Strings that hold what the model produced, by their key, in the places that `wants` looks at. */
const PRODUCED_TEXT: ReadonlySet<string> = new Set([
  ...["content", "text", "reasoning_content", "reasoning", "refusal", "thinking"],
  ...["name", "arguments", "partial_json"],
]);

const ASKED_KEYS = wordFinder([
  ...PRODUCED_TEXT,
  ...["type", "usage", "delta", "response", "message", "stop_reason", "choices", "finish_reason"],
  ...["reasoning_details", "content_block", "output", "input"],
]);

/**
 * The values a meter looks for. Text counts where it is produced, not where an event repeats it: the Responses API sends each piece
 * as a top-level `delta`, and everything once more in `item`, `part` and `response`.
 */
function wants(path: JsonPath, depth: number): JsonWish {
  if (depth === 0) return "skip";
  const key = path[depth - 1]!;
  const top = path[0];
  if (depth === 1) {
    if (key === "type" || key === "usage") return "keep";
    return key === "delta" ? "count" : "skip";
  }
  if (depth === 2) {
    if (key === "usage" && (top === "response" || top === "message")) return "keep";
    if (key === "stop_reason" && top === "delta") return "keep";
  } else if (depth === 3 && top === "choices") {
    if (key === "usage" || key === "finish_reason") return "keep";
    if (key === "text") return "count";
  }
  if (top === "choices") return PRODUCED_TEXT.has(key) && path[3] !== "reasoning_details" ? "count" : "skip";
  if (top === "delta" || top === "content_block" || top === "output")
    return PRODUCED_TEXT.has(key) ? "count" : "skip";
  if (top === "content") return path[2] === "input" || PRODUCED_TEXT.has(key) ? "count" : "skip";
  return "skip";
}

/** `message_delta` over `message_start`: what it names replaces, except that a prompt of all zeros says nothing about the prompt. */
function merged(
  before: Readonly<Record<string, unknown>>,
  delta: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const promptKeys = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
  const saysPrompt = promptKeys.some((key) => Number.isSafeInteger(delta[key]) && Number(delta[key]) > 0);
  const usage = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(delta)) {
    const isCount = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
    if (isCount && (saysPrompt || !promptKeys.includes(key))) usage.set(key, value);
  }
  return Object.fromEntries(usage);
}
