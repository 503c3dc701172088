/** Asks this page's own gateway, with its session. A failure is a {@link RequestFailure} that says what a person can do. */
export async function request<Answer>(path: string, asked: Asked = {}): Promise<Answer> {
  const { method = "GET", body, ifVersion, signal } = asked;
  const ifMatch = ifVersion === undefined ? asked.ifMatch : `"${String(ifVersion)}"`;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A gateway that takes a request and never answers is not there either.
      signal: AbortSignal.any([
        AbortSignal.timeout(LONGEST_WAIT_MS),
        ...(signal === undefined ? [] : [signal]),
      ]),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new RequestFailure({ status: "unreachable", detail: "The gateway does not answer." }, { cause });
  }
  if (response.status === 204) return undefined as Answer;
  const answer = await jsonOf(response);
  if (response.ok && answer !== undefined) return answer as Answer;
  // A proxy's own page, say: whether anything was done is not known.
  if (response.ok)
    throw new RequestFailure(
      {
        status: "unreachable",
        detail: "Something else than the gateway answered; sign in there, then look again.",
      },
      {},
    );
  throw new RequestFailure(problemOf(answer, response.status), {});
}

/** A switch of the quota store carries counters over, which takes its time. */
const LONGEST_WAIT_MS = 30_000;

/** What is asked beside the path. */
export interface Asked {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  /** The change is refused (412) when the thing has another version by now. */
  readonly ifVersion?: number;
  /** The same for a thing that has an `ETag` and no version. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
}

/** What the gateway said no with (RFC 9457), or that it said nothing. */
export interface Problem {
  readonly status: number | "unreachable";
  readonly detail: string;
  /** Faults of single fields, by path. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** What else the answer had: a stale edit's has the thing as it is now. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  readonly problem: Problem;

  constructor(problem: Problem, options: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** Whether somebody else has changed the thing since it was read. */
export function isStale(error: unknown): error is RequestFailure {
  return error instanceof RequestFailure && error.problem.status === 412;
}

/** What a person reads of any error. */
export function detailOf(error: unknown): string {
  if (error instanceof RequestFailure) return error.problem.detail;
  return error instanceof Error ? error.message : "It failed, and did not say why.";
}

/** The faults of single fields, by path; empty where the error names none. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof RequestFailure ? (error.problem.errors ?? []) : [];
  return new Map(errors.map(({ path, message }) => [path, message]));
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function problemOf(answer: unknown, status: number): Problem {
  const members = typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>) : {};
  const { detail, errors } = members;
  return {
    status,
    detail: typeof detail === "string" ? detail : `The gateway answered ${status}.`,
    ...(Array.isArray(errors) && { errors: errors as NonNullable<Problem["errors"]> }),
    members,
  };
}
