import { InvalidInputError, PoolConflictError, StoreError, type Logger } from "@quota/engine";
import { buildBadRequest, buildProblem, poolJson, versionTag, type BuiltAnswer } from "@quota/http";
import type { ErrorRequestHandler } from "express";
import { sendAnswer } from "./sendAnswer.js";

/** The last of the admin routes: every error as a problem. What is not known here is logged, and nothing of it is told. */
export function adminFailures(logger: Logger | undefined): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    const answer = answerTo(error);
    if (answer.status >= 500) logger?.warn({ scope: "quota:admin", err: error }, "An admin request failed.");
    sendAnswer(response, answer);
  };
}

function answerTo(error: unknown): BuiltAnswer {
  if (error instanceof InvalidInputError) return buildBadRequest(error.faults);
  if (error instanceof PoolConflictError) return conflict(error);
  if (error instanceof StoreError)
    return buildProblem({ status: 503, detail: "The store does not answer; try again in a moment." });
  const { type, status } = (error ?? {}) as { readonly type?: unknown; readonly status?: unknown };
  if (type === "entity.too.large") return buildProblem({ status: 413, detail: "The body is too large." });
  if (type === "entity.parse.failed")
    return buildBadRequest([{ path: "", message: "The body is not JSON that parses." }]);
  if (status === 415)
    return buildProblem({
      status,
      detail: "The body's content-encoding or charset is not known; send plain JSON in UTF-8.",
    });
  // A body that does not unpack or ends too early, a path whose percent signs do not decode.
  if (status === 400) return buildBadRequest([{ path: "", message: "The request cannot be read." }]);
  return buildProblem({ status: 500, detail: "The request failed here." });
}

function conflict({ code, existing, message }: PoolConflictError): BuiltAnswer {
  if (code !== "stale") return buildProblem({ status: 409, detail: message });
  const problem = buildProblem({ status: 412, detail: message });
  return {
    ...problem,
    headers: { ...problem.headers, etag: versionTag(existing.version) },
    body: { ...problem.body, pool: poolJson(existing) },
  };
}
