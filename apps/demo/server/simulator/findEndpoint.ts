import { chatCompletion } from "./chatCompletion.js";
import { embeddingsCall } from "./embeddingsCall.js";
import type { Endpoint, Question } from "./endpoint.js";
import { isJsonObject, type JsonObject } from "./jsonObject.js";
import { countTokensCall, messagesCall } from "./messagesCall.js";
import { responsesCall } from "./responsesCall.js";

/** The POST route a request asks for. */
export function findEndpoint({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): Endpoint | undefined {
  return method === "POST" ? endpoints.get(path) : undefined;
}

/** What a body asks of a route, or the sentence of the 400. */
export function readQuestion(
  endpoint: Endpoint,
  body: unknown,
): { readonly question: Question; readonly body: JsonObject } | string {
  if (!isJsonObject(body)) return "We could not parse the JSON body of your request.";
  if (typeof body["model"] !== "string" || body["model"] === "") return "model: a name is required.";
  const question = endpoint.read(body);
  return typeof question === "string" ? question : { question, body };
}

const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  ["/v1/chat/completions", chatCompletion],
  ["/v1/responses", responsesCall],
  ["/v1/embeddings", embeddingsCall],
  ["/v1/messages", messagesCall],
  ["/v1/messages/count_tokens", countTokensCall],
]);
