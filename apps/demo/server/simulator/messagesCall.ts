import { contentText } from "./contentText.js";
import { countTokens } from "./countTokens.js";
import { streamEvent, type Endpoint, type Question, type StreamEvent, type Turn } from "./endpoint.js";
import { isJsonObject, type JsonObject } from "./jsonObject.js";

/**
 * POST /v1/messages. Input and cache usage stand in `message_start`, the final output in `message_delta`. What lies up to the
 * last `cache_control` is written to the prompt cache the first time and read from it afterwards; `input_tokens` is the rest.
 */
export const messagesCall: Endpoint = {
  dialect: "anthropic",
  read,
  json: (turn) => ({
    ...message(turn, [{ type: "text", text: [...turn.answer.pieces()].join("") }]),
    stop_reason: stopReason(turn),
    ...usage(turn, turn.answer.tokens),
  }),
  events,
  errorEvent: () =>
    streamEvent(
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      { name: "error" },
    ).wire,
};

/** POST /v1/messages/count_tokens: the input tokens the same body would cost. Free. */
export const countTokensCall: Endpoint = {
  dialect: "anthropic",
  free: true,
  read: (body) => read({ ...body, max_tokens: 1, stream: false }),
  json: ({ question }) => ({ input_tokens: question.inputTokens }),
};

function read(body: JsonObject): Question | string {
  const messages = body["messages"];
  const maximum = body["max_tokens"];
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  if (maximum === undefined) return "max_tokens: Field required";
  if (!Number.isInteger(maximum) || Number(maximum) < 1)
    return "max_tokens: Input should be greater than or equal to 1";
  const blocks = promptBlocks(body);
  const lastMark = blocks.findLastIndex(({ cached }) => cached);
  const cacheable = joined(blocks.slice(0, lastMark + 1));
  const lastOfUser: unknown = messages.findLast(
    (message) => isJsonObject(message) && message["role"] === "user",
  );
  return {
    model: String(body["model"]),
    prompt: contentText(lastOfUser),
    inputTokens: countTokens(joined(blocks)),
    cacheable: lastMark < 0 ? "nothing" : { text: cacheable, tokens: countTokens(cacheable) },
    maxTokens: Number(maximum),
    stream: body["stream"] === true,
    writes: "text",
  };
}

interface PromptBlock {
  readonly text: string;
  readonly cached: boolean;
}

/** Tools, system, messages: the order in which the provider's cache reads a prompt. */
function promptBlocks(body: JsonObject): PromptBlock[] {
  const messages: readonly unknown[] = Array.isArray(body["messages"]) ? body["messages"] : [];
  return [
    ...listed(body["tools"]).map((tool) => ({ ...block(tool), text: JSON.stringify(tool) })),
    ...listed(body["system"]).map(block),
    ...messages.flatMap((each) => listed(isJsonObject(each) ? each["content"] : each).map(block)),
  ];
}

function listed(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function block(value: unknown): PromptBlock {
  const cached = isJsonObject(value) && isJsonObject(value["cache_control"]);
  const input = isJsonObject(value) && value["type"] === "tool_use" ? JSON.stringify(value["input"]) : "";
  return { text: contentText(value) + input, cached };
}

function joined(blocks: readonly PromptBlock[]): string {
  return blocks.map(({ text }) => text).join("\n");
}

function* events(turn: Turn): Iterable<StreamEvent> {
  const event = (name: string, fields: JsonObject, text = ""): StreamEvent =>
    streamEvent({ type: name, ...fields }, { name, text });
  yield event("message_start", { message: { ...message(turn, []), ...usage(turn, 1) } });
  yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  yield event("ping", {});
  for (const text of turn.answer.pieces()) {
    yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }, text);
  }
  yield event("content_block_stop", { index: 0 });
  const said = turn.options.usage === "none" ? {} : { usage: { output_tokens: turn.answer.tokens } };
  yield event("message_delta", { delta: { stop_reason: stopReason(turn), stop_sequence: null }, ...said });
  yield event("message_stop", {});
}

function message({ serial, question }: Turn, content: readonly JsonObject[]): JsonObject {
  return {
    id: `msg_sim${serial}`,
    type: "message",
    role: "assistant",
    model: question.model,
    content,
    stop_reason: null,
    stop_sequence: null,
  };
}

function usage({ question, cache, options }: Turn, outputTokens: number): JsonObject {
  if (options.usage === "none") return {};
  return {
    usage: {
      input_tokens: question.inputTokens - cache.read - cache.written,
      cache_creation_input_tokens: cache.written,
      cache_read_input_tokens: cache.read,
      cache_creation: { ephemeral_5m_input_tokens: cache.written, ephemeral_1h_input_tokens: 0 },
      output_tokens: outputTokens,
      service_tier: "standard",
    },
  };
}

function stopReason({ answer }: Turn): string {
  return answer.finish === "cut" ? "max_tokens" : "end_turn";
}
