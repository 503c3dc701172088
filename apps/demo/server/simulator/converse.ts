import { dialectOf } from "./answerHeaders.js";
import { composeAnswer } from "./composeAnswer.js";
import { bytesPerToken } from "./countTokens.js";
import { deliverAnswer } from "./deliverAnswer.js";
import type { StreamEvent, Turn } from "./endpoint.js";
import { findEndpoint, readQuestion } from "./findEndpoint.js";
import type { JsonObject } from "./jsonObject.js";
import { modelList } from "./modelList.js";
import { badRequest, refuseRequest, refuseUse } from "./refuseRequest.js";
import type { AnswerPart } from "./sendAnswer.js";
import { noTokens, type TokenCounts } from "./tokenPrice.js";
import { usageEndpointOf } from "./usageEndpoint.js";
import { accountOf, deliveryOf, headersFor, viewOf, type Plan } from "./visit.js";

/** Answers as a model would, if the request is sound and the provider's own quota lets it pass. */
export async function converse(
  plan: Plan & { readonly credential: string; readonly body: unknown; readonly tag: string },
): Promise<void> {
  const { visit, options, failure, credential, body, tag } = plan;
  const account = accountOf(visit);
  const { provider, request, record, serial } = visit;
  const now = options.clock();
  const lookedUp = lookUp(plan);
  if (lookedUp !== undefined) {
    record.decide(failure === "none" ? "accepted" : "failed");
    return deliverAnswer({
      ...deliveryOf(plan),
      status: 200,
      headers: headersFor(visit, options),
      content: { kind: "json", body: lookedUp, textBytes: 0 },
    });
  }
  const endpoint = findEndpoint(request);
  if (endpoint === undefined) {
    const message = `Unknown request URL: ${request.method} ${request.path}`;
    return refuseRequest(visit, { ...badRequest(message), status: 404, options });
  }
  const asked = readQuestion(endpoint, body);
  if (typeof asked === "string") return refuseRequest(visit, { ...badRequest(asked), options });
  const { question } = asked;
  const isFree = endpoint.free === true;
  const model = question.model.replace(/\?.*$/u, "");
  const retryAfterMs = options.retryAfterSeconds * 1000;
  const refusal = isFree
    ? undefined
    : account.judge({ model, inputTokens: question.inputTokens, retryAfterMs }, now);
  if (refusal !== undefined) return refuseUse(visit, { refusal, outcome: "refused", options });
  record.decide(failure === "none" ? "accepted" : "failed");
  const cache = isFree
    ? { read: 0, written: 0 }
    : provider.promptCache.use({ credential, dialect: endpoint.dialect, question });
  const book = (requests: number, tokens: Partial<TokenCounts>): void =>
    account.count({ requests, tokens: { ...noTokens(), ...tokens }, model, by: { tag } }, options.clock());
  if (!isFree) {
    const input = question.inputTokens - cache.read - cache.written;
    book(1, { input, cachedInput: cache.read, cacheWrite: cache.written });
    provider.state.count("input", question.inputTokens);
  }
  const turn: Turn = {
    serial,
    body: asked.body,
    question,
    answer: composeAnswer({ ...options, prompt: question.prompt, maxTokens: question.maxTokens }),
    options: failure === "usage-missing" ? { ...options, usage: "none" } : options,
    cache,
    startedAt: now,
  };
  const events = question.stream ? endpoint.events?.(turn) : undefined;
  const writesText = question.writes === "text" && !isFree;
  await deliverAnswer({
    ...deliveryOf(plan),
    status: 200,
    headers: headersFor(visit, options),
    content:
      events === undefined
        ? {
            kind: "json",
            body: endpoint.json(turn),
            textBytes: writesText ? turn.answer.tokens * bytesPerToken : 0,
          }
        : {
            kind: "stream",
            parts: eventParts(events),
            halfway: Math.ceil(turn.answer.pieceCount / 2),
            errorEvent: endpoint.errorEvent?.(turn) ?? "",
          },
    onTokens: (tokens) => {
      if (tokens === 0) return;
      book(0, { output: tokens });
      provider.state.count("output", tokens);
    },
  });
}

/** What a request finds that only looks: how full the account's windows are, or which models there are. */
function lookUp({ visit, options }: Plan): JsonObject | undefined {
  const { request } = visit;
  const usage = usageEndpointOf(request);
  if (usage !== undefined) return usage.body(viewOf(visit, options));
  if (request.method !== "GET" || request.path !== "/v1/models") return undefined;
  return modelList(options.models, dialectOf(request, options) === "anthropic" ? "anthropic" : "openai");
}

function* eventParts(events: Iterable<StreamEvent>): Iterable<AnswerPart> {
  for (const { wire, textBytes } of events)
    yield { bytes: Buffer.from(wire), textBytes, piece: textBytes > 0 };
}
