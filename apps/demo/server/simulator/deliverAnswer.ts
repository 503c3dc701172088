import type { ServerResponse } from "node:http";
import type { Gate } from "./gate.js";
import { sendAnswer, type AnswerPart } from "./sendAnswer.js";
import type { FailureKind, SimulatorOptions } from "./simulatorOptions.js";
import type { StateKeeper } from "./simulatorState.js";

export interface Delivery {
  readonly response: ServerResponse;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: StreamContent | JsonContent;
  readonly options: SimulatorOptions;
  readonly failure: FailureKind | "none";
  readonly state: StateKeeper;
  readonly gate: Gate;
  readonly gone: AbortSignal;
  readonly reset: () => void;
  readonly onTokens: (tokens: number) => void;
}

export interface StreamContent {
  readonly kind: "stream";
  readonly parts: Iterable<AnswerPart>;
  readonly halfway: number;
  readonly errorEvent: string;
}

export interface JsonContent {
  readonly kind: "json";
  readonly body: unknown;
  /** Bytes of model text in it. */
  readonly textBytes: number;
}

/** Sends an answer that was decided: head, then parts, keeping the gauges of the state. */
export async function deliverAnswer(delivery: Delivery): Promise<void> {
  const { response, status, headers, content, options, failure, state, gate, gone } = delivery;
  await holdAt("before-answer", { options, state, gate, gone });
  if (gone.aborted) return;
  const isStream = content.kind === "stream";
  const json = isStream ? [] : jsonParts(content);
  const length = json.reduce((sum, { bytes }) => sum + bytes.length, 0);
  response.writeHead(status, {
    ...(isStream
      ? { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
      : { "content-type": "application/json" }),
    // A body that will be cut cannot promise its length.
    ...(isStream || failure !== "none" ? {} : { "content-length": String(length) }),
    ...headers,
  });
  response.flushHeaders();
  if (isStream) {
    state.count("openStreams", 1);
    response.once("close", () => state.count("openStreams", -1));
  }
  await sendAnswer({
    response,
    parts: isStream ? content.parts : json,
    halfway: isStream ? content.halfway : 1,
    // A JSON answer cannot carry an event; one that does not parse is one that ends too early.
    failure: !isStream && failure === "bad-json" ? "end-mid-stream" : failure,
    errorEvent: isStream ? content.errorEvent : "",
    splitBytes: options.splitBytes,
    chunkDelayMs: options.chunkDelayMs,
    gone,
    reset: delivery.reset,
    pauseHalfway: () => holdAt("mid-stream", { options, state, gate, gone }),
    onTokens: delivery.onTokens,
    onBlocked: (by) => state.count("blockedStreams", by),
  });
}

async function holdAt(
  place: SimulatorOptions["pause"],
  { options, state, gate, gone }: Pick<Delivery, "options" | "state" | "gate" | "gone">,
): Promise<void> {
  if (options.pause !== place) return;
  state.count("pausedAnswers", 1);
  await gate.wait(gone);
  state.count("pausedAnswers", -1);
}

/** Two halves, so that a JSON answer can break in the middle too. */
function jsonParts({ body, textBytes }: JsonContent): readonly AnswerPart[] {
  const bytes = Buffer.from(JSON.stringify(body));
  const [half, halfText] = [Math.floor(bytes.length / 2), Math.floor(textBytes / 2)];
  return [
    { bytes: bytes.subarray(0, half), textBytes: halfText, piece: true },
    { bytes: bytes.subarray(half), textBytes: textBytes - halfText, piece: true },
  ];
}
