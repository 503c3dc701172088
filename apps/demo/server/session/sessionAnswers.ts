import { sendAnswer } from "@quota/express";
import { buildProblem } from "@quota/http";
import type { Response } from "express";

/** 401, with what to do next. */
export function sendUnauthorized(response: Response, detail: string): void {
  response.set("www-authenticate", "Bearer");
  sendAnswer(response, buildProblem({ status: 401, detail }));
}

/** 403, with why. */
export function sendForbidden(response: Response, detail: string): void {
  sendAnswer(response, buildProblem({ status: 403, detail }));
}

/** 429: too many wrong tokens or codes came from there. */
export function sendSlowed(response: Response, retryAfterS: number): void {
  response.set("retry-after", String(retryAfterS));
  const wait = retryAfterS === 1 ? "a second" : `${String(retryAfterS)} seconds`;
  const detail = `Too many wrong tokens or codes came from this address; try again in ${wait}.`;
  sendAnswer(response, buildProblem({ status: 429, detail }));
}
