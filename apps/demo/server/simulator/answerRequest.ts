import type { IncomingMessage, ServerResponse } from "node:http";
import { converse } from "./converse.js";
import { readDirectives, type Directives } from "./readDirectives.js";
import { credentialOf, readBody, receiveRequest } from "./receiveRequest.js";
import { findExchange } from "./recordedExchange.js";
import { badRequest, refuseRequest } from "./refuseRequest.js";
import { replayExchange } from "./replayExchange.js";
import { aborted, sleep } from "./sendAnswer.js";
import { applyOptions, type FailureKind, type SimulatorOptions } from "./simulatorOptions.js";
import type { RequestRecord } from "./simulatorState.js";
import { accountOf, type Provider, type Visit } from "./visit.js";

/** One request from its first header to its last byte. Resolves when nothing more will be written. */
export async function answerRequest(
  provider: Provider,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request = receiveRequest(incoming);
  const { method, fullPath, query, headers } = request;
  const record = provider.state.arrive(
    { method, path: fullPath, query, headers },
    provider.options().keepRequests,
  );
  const visit: Visit = {
    provider,
    request,
    response,
    record,
    serial: provider.nextSerial(),
    ...watchClient(provider, { response, record }),
  };
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  provider.state.count("openRequests", 1);
  try {
    await receive(visit, await readBody(incoming));
  } finally {
    // The last gauge to fall: at 0 nothing of any request is left.
    await closed;
    provider.state.count("openRequests", -1);
  }
}

async function receive(visit: Visit, raw: Buffer | "gone" | "too-large"): Promise<void> {
  if (raw === "gone") return;
  if (raw === "too-large") {
    const options = visit.provider.options();
    return refuseRequest(visit, { ...badRequest("The body is larger than 64 MiB."), status: 413, options });
  }
  visit.record.received(raw);
  await answer(visit, parseJson(raw));
}

/** The order in which a provider says no, and at last yes. */
async function answer(visit: Visit, body: unknown): Promise<void> {
  const { provider, request, response, record, gone } = visit;
  const read = wishesOf(visit, body);
  if (typeof read === "string")
    return refuseRequest(visit, { ...badRequest(read), options: provider.options() });
  const { options, directives } = read;

  if (options.redirectTo !== "none") {
    record.decide("redirected");
    response.writeHead(302, { location: options.redirectTo }).end();
    return;
  }
  if (options.latencyMs > 0) await sleep(options.latencyMs, gone);
  if (gone.aborted) return;
  const credential = credentialOf(request.headers);
  if (options.credentials !== "any" && !options.credentials.includes(credential)) {
    return refuseRequest(visit, { ...badRequest("Incorrect API key provided."), status: 401, options });
  }
  const { login } = accountOf(visit).settings();
  if (login !== "valid") {
    const [status, message] = loginTroubles[login];
    return refuseRequest(visit, { ...badRequest(message), status, options });
  }
  const failure = failureOf(provider, options, directives);
  if (failure.startsWith("status-")) {
    const status = Number(failure.slice("status-".length));
    return refuseRequest(visit, {
      status,
      message: `Simulated failure ${status}.`,
      outcome: "failed",
      options,
    });
  }
  if (failure === "reset" || failure === "never-answers") {
    record.decide("failed");
    if (failure === "reset") visit.reset();
    else await aborted(gone);
    return;
  }
  const recorded = findExchange(options.replay, { ...request, name: directives.replay });
  if (recorded !== undefined) return replayExchange(recorded, { visit, options, failure });
  if (directives.replay !== undefined) {
    return refuseRequest(visit, {
      ...badRequest(`No recorded exchange ${directives.replay} fits this path.`),
      options,
    });
  }
  const tag = directives.tag ?? "untagged";
  await converse({ visit, options, failure, credential, body, tag });
}

function wishesOf(
  { provider, request }: Visit,
  body: unknown,
): { readonly options: SimulatorOptions; readonly directives: Directives } | string {
  try {
    const directives = readDirectives({ headers: request.headers, body });
    return { directives, options: applyOptions(provider.options(), directives.changes) };
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** A directive always bites; the simulator's own failure meets its share of the requests. */
function failureOf(
  provider: Provider,
  options: SimulatorOptions,
  { changes }: Directives,
): FailureKind | "none" {
  if (changes.failure !== undefined || options.failure === "none") return options.failure;
  return provider.meetsFailure(options.failureRate) ? options.failure : "none";
}

const loginTroubles = {
  expired: [401, "Provided authentication token is expired. Please try signing in again."],
  forbidden: [403, "This account may not be used."],
} as const;

/** `gone` is aborted when the answer can reach nobody any more; a client that hung up is counted, a socket we reset is not. */
function watchClient(
  { closing }: Provider,
  { response, record }: { readonly response: ServerResponse; readonly record: RequestRecord },
): Pick<Visit, "gone" | "reset"> {
  const gone = new AbortController();
  let byUs = false;
  response.once("close", () => {
    if (!response.writableFinished && !byUs && !closing.aborted) record.abort();
    // With a reason of its own: the default one is a DOMException, and its stack costs more than a whole answer.
    gone.abort("gone");
  });
  const reset = (): void => {
    byUs = true;
    response.socket?.resetAndDestroy();
  };
  return { gone: gone.signal, reset };
}

/** Not JSON: undefined, which no route accepts. */
function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
