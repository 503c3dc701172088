import type { BuiltAnswer } from "@quota/http";
import type { ServerResponse } from "node:http";

/** Sends an answer that @quota/http has built, unless somebody has answered already. */
export function sendAnswer(response: ServerResponse, answer: BuiltAnswer): void {
  if (response.headersSent || response.writableEnded || response.destroyed) return;
  const body = Buffer.from(JSON.stringify(answer.body));
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  response.setHeader("content-type", answer.contentType);
  response.setHeader("content-length", body.length);
  response.end(body);
}
