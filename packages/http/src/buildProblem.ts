import type { Fault } from "@quota/core";

/** An answer made here, ready for any framework: send these headers and `contentType`, and the body as JSON. */
export interface BuiltAnswer {
  readonly status: number;
  /** Lower-case names. Without `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: "application/problem+json" | "application/json";
  readonly body: Readonly<Record<string, unknown>>;
}

/** The statuses that this package has a name for. */
export type ProblemStatus = keyof typeof TITLES;

/**
 * A problem (RFC 9457) for the people who administer: 404, 409, 412, 413 and their like. `detail` is a sentence for the reader and never a
 * stack, a path of the server or a secret. `errors` says what is wrong with an input, all at once.
 *
 * @example
 * buildProblem({ status: 412, detail: "The pool has changed since version 3; read it again." });
 */
export function buildProblem({
  status,
  detail,
  errors,
}: {
  readonly status: ProblemStatus;
  readonly detail: string;
  readonly errors?: readonly Pick<Fault, "path" | "message">[] | undefined;
}): BuiltAnswer {
  return {
    status,
    headers: { "cache-control": "no-store" },
    contentType: "application/problem+json",
    body: {
      type: "about:blank",
      title: problemTitle(status),
      status,
      detail,
      ...(errors && { errors: errors.map(({ path, message }) => ({ path, message })) }),
    },
  };
}

/** A refused write (400): every fault by its place in the input. */
export function buildBadRequest(errors: readonly Pick<Fault, "path" | "message">[]): BuiltAnswer {
  const detail =
    errors.length === 1
      ? errors[0]!.message
      : `${String(errors.length)} things are wrong with this input; nothing was written.`;
  return buildProblem({ status: 400, detail, errors });
}

/** The name of a status, as HTTP has it. */
export function problemTitle(status: ProblemStatus): string {
  return TITLES[status];
}

const TITLES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  428: "Precondition Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
} as const;
