import { sendAnswer } from "@quota/express";
import {
  buildFailure,
  buildUnauthorized,
  dialectOf,
  type Dialect as ErrorDialect,
  type Failure,
} from "@quota/http";
import type { Request, Response } from "express";
import { newRequestId } from "./newRequestId.js";
import type { ProxyLocals } from "./requestContext.js";

/** Tells a client of `/v1` that something failed, in its own dialect. */
export function fail(
  request: Request,
  response: Response,
  failure: Pick<Failure, "status" | "code" | "message" | "headers">,
): void {
  const { status, code, message, headers } = failure;
  sendAnswer(
    response,
    buildFailure({
      dialect: dialectIn(request),
      requestId: requestIdOf(response),
      status,
      code,
      message,
      headers,
    }),
  );
}

/** 401 in the client's dialect. */
export function unauthorized(request: Request, response: Response): void {
  sendAnswer(response, buildUnauthorized({ dialect: dialectIn(request), requestId: requestIdOf(response) }));
}

export function dialectIn(request: Request): ErrorDialect {
  return dialectOf({ path: request.originalUrl, headers: request.headers });
}

/** The id this request is spoken of by, in answers and in the log. */
export function requestIdOf(response: Response): string {
  const locals = response.locals as ProxyLocals;
  return (locals.requestId ??= newRequestId(Date.now()));
}
