import type { BuiltAnswer } from "@quota/http";
import type { Response } from "express";

/** Sends an answer that @quota/http has built, unless somebody has answered already. */
export function sendAnswer(response: Response, answer: BuiltAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response
    .status(answer.status)
    .set(answer.headers)
    .type(answer.contentType)
    .send(JSON.stringify(answer.body));
}
