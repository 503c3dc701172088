import type { Answer } from "./composeAnswer.js";
import type { JsonObject } from "./jsonObject.js";
import type { SimulatorOptions } from "./simulatorOptions.js";

/** One of the provider's POST routes: how its body is read and how its answer is shaped. */
export interface Endpoint {
  readonly dialect: "openai" | "anthropic";
  /** Token counting costs nothing and is not counted by the quota. */
  readonly free?: true;
  /** What the request asks, or the sentence a 400 says. */
  read(body: JsonObject): Question | string;
  json(turn: Turn): JsonObject;
  /** The answer as server-sent events. Absent: this route never streams. */
  events?(turn: Turn): Iterable<StreamEvent>;
  /** What an overloaded provider sends in the middle of a stream. */
  errorEvent?(turn: Turn): string;
}

export interface Question {
  readonly model: string;
  /** The last thing the user said. */
  readonly prompt: string;
  readonly inputTokens: number;
  /** The part of the input a provider would keep in its prompt cache. */
  readonly cacheable: { readonly text: string; readonly tokens: number } | "nothing";
  readonly maxTokens: number | "unbounded";
  readonly stream: boolean;
  /** 0 for answers that are no text (embeddings). */
  readonly writes: "text" | "nothing";
}

export interface Turn {
  /** Counts the simulator's turns; ids are made of it. */
  readonly serial: string;
  readonly body: JsonObject;
  readonly question: Question;
  readonly answer: Answer;
  readonly options: SimulatorOptions;
  /** What the prompt cache did with the cacheable part. */
  readonly cache: { readonly read: number; readonly written: number };
  readonly startedAt: number;
}

/** One event of a stream, as it goes on the wire, with the bytes of model text in it. */
export interface StreamEvent {
  readonly wire: string;
  readonly textBytes: number;
}

/** Writes an event by the rules of server-sent events; `name` is what Anthropic and the Responses API put before the data. */
export function streamEvent(data: JsonObject, { name = "", text = "" } = {}): StreamEvent {
  const head = name === "" ? "" : `event: ${name}\n`;
  return { wire: `${head}data: ${JSON.stringify(data)}\n\n`, textBytes: Buffer.byteLength(text) };
}
