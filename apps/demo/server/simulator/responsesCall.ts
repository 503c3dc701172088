import { contentText } from "./contentText.js";
import { countTokens } from "./countTokens.js";
import { streamEvent, type Endpoint, type Question, type StreamEvent, type Turn } from "./endpoint.js";
import { isJsonObject, type JsonObject } from "./jsonObject.js";

/** POST /v1/responses. A stream's usage stands in `response.completed`, or in `response.incomplete` if the maximum cut it. */
export const responsesCall: Endpoint = {
  dialect: "openai",
  read,
  json: (turn) => finished(turn, [...turn.answer.pieces()].join("")),
  events,
  errorEvent: (turn) =>
    streamEvent(
      {
        type: "response.failed",
        sequence_number: 999,
        response: {
          ...response(turn, "failed", []),
          error: { code: "server_error", message: "The simulated provider is overloaded." },
        },
      },
      { name: "response.failed" },
    ).wire,
};

function read(body: JsonObject): Question | string {
  const input = body["input"];
  if (typeof input !== "string" && !Array.isArray(input))
    return "input: a text or a list of items is required.";
  const maximum = body["max_output_tokens"] ?? "unbounded";
  if (maximum !== "unbounded" && !(Number.isInteger(maximum) && Number(maximum) >= 1)) {
    return "max_output_tokens: a whole number of at least 1 is required.";
  }
  const items: readonly unknown[] = typeof input === "string" ? [input] : input;
  const texts = items.map(contentText);
  const tools = body["tools"] === undefined ? "" : JSON.stringify(body["tools"]);
  const before = [contentText(body["instructions"]), tools];
  const lastOfUser = items.findLastIndex(
    (item) => typeof item === "string" || (isJsonObject(item) && item["role"] === "user"),
  );
  const cacheable = [...before, ...texts.slice(0, -1)].join("\n");
  return {
    model: String(body["model"]),
    prompt: texts[lastOfUser] ?? "",
    inputTokens: countTokens([...before, ...texts].join("\n")),
    cacheable: { text: cacheable, tokens: countTokens(cacheable) },
    maxTokens: maximum === "unbounded" ? maximum : Number(maximum),
    stream: body["stream"] === true,
    writes: "text",
  };
}

function* events(turn: Turn): Iterable<StreamEvent> {
  let sequence = 0;
  const event = (name: string, fields: JsonObject, text = ""): StreamEvent =>
    streamEvent({ type: name, sequence_number: sequence++, ...fields }, { name, text });
  const place = { item_id: messageId(turn), output_index: 0, content_index: 0 };

  yield event("response.created", { response: response(turn, "in_progress", []) });
  yield event("response.in_progress", { response: response(turn, "in_progress", []) });
  yield event("response.output_item.added", { output_index: 0, item: message(turn, "in_progress", []) });
  yield event("response.content_part.added", { ...place, part: outputText("") });
  const said: string[] = [];
  for (const text of turn.answer.pieces()) {
    said.push(text);
    yield event("response.output_text.delta", { ...place, delta: text, logprobs: [] }, text);
  }
  const text = said.join("");
  const last = finished(turn, text);
  yield event("response.output_text.done", { ...place, text, logprobs: [] });
  yield event("response.content_part.done", { ...place, part: outputText(text) });
  yield event("response.output_item.done", {
    output_index: 0,
    item: message(turn, String(last["status"]), [outputText(text)]),
  });
  yield event(`response.${String(last["status"])}`, { response: last });
}

function finished(turn: Turn, text: string): JsonObject {
  const status = turn.answer.finish === "cut" ? "incomplete" : "completed";
  return {
    ...response(turn, status, [message(turn, status, [outputText(text)])]),
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    usage: turn.options.usage === "none" ? null : responsesUsage(turn),
  };
}

function response(
  { serial, body, question, startedAt }: Turn,
  status: string,
  output: readonly JsonObject[],
): JsonObject {
  return {
    id: `resp_sim${serial}`,
    object: "response",
    created_at: Math.floor(startedAt / 1000),
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    model: question.model,
    output,
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: null,
    reasoning: body["reasoning"] ?? { effort: null, summary: null },
    store: body["store"] ?? true,
    temperature: 1,
    text: body["text"] ?? { format: { type: "text" } },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: 1,
    truncation: "disabled",
    usage: null,
    metadata: {},
  };
}

function responsesUsage({ question, answer, cache }: Turn): JsonObject {
  return {
    input_tokens: question.inputTokens,
    input_tokens_details: { cached_tokens: cache.read },
    output_tokens: answer.tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: question.inputTokens + answer.tokens,
  };
}

function message(turn: Turn, status: string, content: readonly JsonObject[]): JsonObject {
  return { id: messageId(turn), type: "message", status, role: "assistant", content };
}

function messageId({ serial }: Turn): string {
  return `msg_sim${serial}`;
}

function outputText(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}
