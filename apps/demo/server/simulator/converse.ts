import { dialectOf } from "./answerHeaders.js";
import { composeAnswer } from "./composeAnswer.js";
import { bytesPerToken } from "./countTokens.js";
import { deliverAnswer } from "./deliverAnswer.js";
import type { StreamEvent, Turn } from "./endpoint.js";
import { findEndpoint, readQuestion } from "./findEndpoint.js";
import { modelList } from "./modelList.js";
import { badRequest, refuseRequest } from "./refuseRequest.js";
import type { AnswerPart } from "./sendAnswer.js";
import { deliveryOf, headersFor, standingOf, type Plan } from "./visit.js";

/** Answers as a model would, if the request is sound and the provider's own quota lets it pass. */
export async function converse(
  plan: Plan & { readonly credential: string; readonly body: unknown },
): Promise<void> {
  const { visit, options, failure, credential, body } = plan;
  const { provider, request, record, serial } = visit;
  const now = options.clock();
  if (request.method === "GET" && request.path === "/v1/models") {
    record.decide(failure === "none" ? "accepted" : "failed");
    const list = modelList(
      options.models,
      dialectOf(request, options) === "anthropic" ? "anthropic" : "openai",
    );
    const headers = headersFor(visit, options, standingOf(visit, options));
    return deliverAnswer({
      ...deliveryOf(plan),
      status: 200,
      headers,
      content: { kind: "json", body: list, textBytes: 0 },
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
  const standing = isFree
    ? standingOf(visit, options)
    : provider.quota.admit({ credential, inputTokens: question.inputTokens, quota: options.quota }, now);
  if (!standing.allowed) {
    const message = "This request would exceed the account's rate limit. Please try again later.";
    return refuseRequest(visit, { status: 429, message, outcome: "refused", options, standing });
  }
  record.decide(failure === "none" ? "accepted" : "failed");
  if (!isFree) provider.state.count("input", question.inputTokens);
  const turn: Turn = {
    serial,
    body: asked.body,
    question,
    answer: composeAnswer({ ...options, prompt: question.prompt, maxTokens: question.maxTokens }),
    options: failure === "usage-missing" ? { ...options, usage: "none" } : options,
    cache: isFree
      ? { read: 0, written: 0 }
      : provider.promptCache.use({ credential, dialect: endpoint.dialect, question }),
    startedAt: now,
  };
  const events = question.stream ? endpoint.events?.(turn) : undefined;
  const writesText = question.writes === "text" && !isFree;
  await deliverAnswer({
    ...deliveryOf(plan),
    status: 200,
    headers: headersFor(visit, options, standing),
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
      provider.quota.spend(credential, tokens);
      provider.state.count("output", tokens);
    },
  });
}

function* eventParts(events: Iterable<StreamEvent>): Iterable<AnswerPart> {
  for (const { wire, textBytes } of events)
    yield { bytes: Buffer.from(wire), textBytes, piece: textBytes > 0 };
}
