import { problemTitle, type BuiltAnswer, type ProblemStatus } from "./buildProblem.js";
import type { Dialect } from "./dialectOf.js";

/** Something that a client of the gateway is told instead of an answer. */
export interface Failure {
  readonly dialect: Dialect;
  /** Also in the header that the dialect's clients read it from. */
  readonly requestId: string;
  readonly status: ProblemStatus;
  /** What the client matches on. Anthropic's errors have no place for one: there it is in `x-quota-reason` alone. */
  readonly code: string;
  /** For people. Never a stack, a path of the server or a secret. */
  readonly message: string;
  /** OpenAI's and Codex's `error.type`, where the status does not say it. */
  readonly type?: string | undefined;
  /** Added to the answer's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to the body's own top-level members. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An error in the client's dialect, so that its SDK raises what it would raise at the provider: an unknown key (401), an ambiguous model
 * (400), a body that is too large (413), a gateway that is shutting down (503).
 */
export function buildFailure(failure: Failure): BuiltAnswer {
  const { dialect, status, requestId, code } = failure;
  return {
    status,
    headers: {
      "cache-control": "no-store",
      ...(HEADER_VALUE.test(requestId) && {
        [dialect === "anthropic" ? "request-id" : "x-request-id"]: requestId,
      }),
      "x-quota-reason": code,
      ...failure.headers,
    },
    contentType: dialect === "openai" ? "application/problem+json" : "application/json",
    body: bodyOf(failure),
  };
}

function bodyOf({ dialect, status, code, message, requestId, type, members }: Failure): BuiltAnswer["body"] {
  const openaiType = type ?? (status >= 500 ? "server_error" : "invalid_request_error");
  switch (dialect) {
    case "openai":
      return {
        type: "about:blank",
        title: problemTitle(status),
        status,
        detail: message,
        ...members,
        error: { message, type: openaiType, code, param: null },
      };
    case "anthropic":
      return {
        type: "error",
        error: { type: anthropicType(status), message },
        request_id: requestId,
        ...members,
      };
    case "codex":
      return { error: { type: openaiType, message, code }, ...members };
  }
}

/** The error types of Anthropic's API. */
function anthropicType(status: ProblemStatus): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 504:
      return "timeout_error";
    default:
      return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

/** What may stand in a header as it is. An id that a client made up may be anything. */
const HEADER_VALUE = /^[\x21-\x7e]{1,200}$/;
