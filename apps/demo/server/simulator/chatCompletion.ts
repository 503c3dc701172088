import { contentText } from "./contentText.js";
import { countTokens } from "./countTokens.js";
import { streamEvent, type Endpoint, type Question, type StreamEvent, type Turn } from "./endpoint.js";
import { isJsonObject, type JsonObject } from "./jsonObject.js";

/** POST /v1/chat/completions. A stream tells its usage in one more chunk, and only if `stream_options.include_usage` asks. */
export const chatCompletion: Endpoint = {
  dialect: "openai",
  read,
  json: (turn) => {
    const choice = {
      index: 0,
      message: {
        role: "assistant",
        content: [...turn.answer.pieces()].join(""),
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: finishReason(turn),
    };
    const answer = {
      ...head(turn, "chat.completion"),
      service_tier: "default",
      system_fingerprint: fingerprint,
    };
    if (turn.options.usage === "none") return { ...answer, choices: [choice] };
    if (turn.options.usage === "in-choice")
      return { ...answer, choices: [{ ...choice, usage: chatUsage(turn) }] };
    return { ...answer, choices: [choice], usage: chatUsage(turn) };
  },
  events,
  errorEvent: () =>
    `data: ${JSON.stringify({ error: { message: "The simulated provider is overloaded.", type: "server_error", code: "server_overloaded", param: null } })}\n\n`,
};

function read(body: JsonObject): Question | string {
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0)
    return "messages: a list with at least one message is required.";
  if ((body["n"] ?? 1) !== 1) return "n: the simulated provider writes one choice.";
  const maximum = body["max_completion_tokens"] ?? body["max_tokens"] ?? "unbounded";
  if (maximum !== "unbounded" && !isCount(maximum))
    return "max_tokens: a whole number of at least 1 is required.";
  const texts = messages.map(contentText);
  const lastOfUser = messages.findLastIndex((message) => isJsonObject(message) && message["role"] === "user");
  const tools = body["tools"] === undefined ? "" : JSON.stringify(body["tools"]);
  const cacheable = [tools, ...texts.slice(0, -1)].join("\n");
  return {
    model: String(body["model"]),
    prompt: texts[lastOfUser] ?? "",
    inputTokens: countTokens([tools, ...texts].join("\n")),
    cacheable: { text: cacheable, tokens: countTokens(cacheable) },
    maxTokens: maximum,
    stream: body["stream"] === true,
    writes: "text",
  };
}

function* events(turn: Turn): Iterable<StreamEvent> {
  const options = turn.body["stream_options"];
  const asked =
    isJsonObject(options) && options["include_usage"] === true && turn.options.usage === "standard";
  const chunk = (
    choices: readonly JsonObject[],
    more: JsonObject = asked ? { usage: null } : {},
  ): JsonObject => ({
    ...head(turn, "chat.completion.chunk"),
    service_tier: "default",
    system_fingerprint: fingerprint,
    choices,
    ...more,
  });
  const delta = (content: JsonObject, more: JsonObject = { finish_reason: null }): JsonObject => ({
    index: 0,
    delta: content,
    logprobs: null,
    ...more,
  });
  yield streamEvent(chunk([delta({ role: "assistant", content: "", refusal: null })]));
  for (const text of turn.answer.pieces()) yield streamEvent(chunk([delta({ content: text })]), { text });
  const inChoice = turn.options.usage === "in-choice" ? { usage: chatUsage(turn) } : {};
  yield streamEvent(chunk([delta({}, { finish_reason: finishReason(turn), ...inChoice })]));
  if (asked) yield streamEvent(chunk([], { usage: chatUsage(turn) }));
  yield { wire: "data: [DONE]\n\n", textBytes: 0 };
}

function chatUsage({ question, answer, cache }: Turn): JsonObject {
  return {
    prompt_tokens: question.inputTokens,
    completion_tokens: answer.tokens,
    total_tokens: question.inputTokens + answer.tokens,
    prompt_tokens_details: { cached_tokens: cache.read, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function head(turn: Turn, object: string): JsonObject {
  return {
    id: `chatcmpl-sim${turn.serial}`,
    object,
    created: Math.floor(turn.startedAt / 1000),
    model: turn.question.model,
  };
}

function finishReason({ answer }: Turn): string {
  return answer.finish === "cut" ? "length" : "stop";
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1;
}

const fingerprint = "fp_simulated";
