import { readProviderSignals, type ProviderSignals } from "@quota/core";
import { sendAnswer, type QuotaHandle } from "@quota/express";
import {
  buildUpstreamLimit,
  forwardHeaders,
  includeUsage,
  ownRateHeaders,
  rateHeaderFamilies,
  type HeaderMap,
} from "@quota/http";
import type { Request, Response } from "express";
import type { Logger } from "pino";
import type { Dispatcher } from "undici";
import { upstreamUrl } from "./baseUrl.js";
import type { Connection, Connections } from "./connections.js";
import { fail, requestIdOf } from "./failures.js";
import { forward, type Forwarded, type UpstreamAnswer } from "./forward.js";
import type { RequestContext } from "./requestContext.js";
import { addressBehind } from "./simulated.js";
import { tellsLimit } from "./signals/tellsLimit.js";
import type { UpstreamWatch } from "./spend/createUpstreamWatch.js";
import { authHeaders, refusesSecret, type UpstreamSecrets } from "./upstreamAuth.js";

export interface UpstreamOptions {
  readonly connections: Connections;
  readonly secrets: UpstreamSecrets;
  /** Where this process's simulator listens, if it runs one. */
  readonly simulatorUrl: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly upstreamTimeoutMs: number;
  readonly log: Logger;
  readonly now: () => number;
  /** Told of every answer of an upstream once, errors and free routes too, before any of it reaches the client. Never throws. */
  readonly onAnswer?: ((answer: UpstreamAnswer, connection: Connection) => void) | undefined;
  /** Learns which connections fail, and how long they take. */
  readonly upstreams: UpstreamWatch;
}

/** Passes a request on to its connection, and tells the client in its dialect where that fails. */
export async function sendUpstream(
  {
    request,
    response,
    context,
    quota,
    lateHeaders,
  }: {
    readonly request: Request;
    readonly response: Response;
    readonly context: RequestContext;
    readonly quota: QuotaHandle | undefined;
    /** See {@link forward}. */
    readonly lateHeaders?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  },
  options: UpstreamOptions,
): Promise<void> {
  const { connection } = context;
  const baseUrl = addressBehind(connection.baseUrl, options.simulatorUrl);
  if (baseUrl === undefined) {
    quota?.failed();
    return unreachable("The built-in simulator is not running here.");
  }
  let headers: HeaderMap;
  try {
    headers = await headersFor(request, connection, options);
  } catch (error) {
    quota?.failed();
    options.log.warn({ connection: connection.id, error }, "the connection's secret cannot be had");
    return unreachable("The gateway has no credentials for this connection.");
  }

  const method = request.method === "POST" ? "POST" : "GET";
  const asked =
    request.path.endsWith("/chat/completions") && context.json?.["stream"] === true
      ? includeUsage(context.body)
      : { body: context.body, added: false };
  const path = `/v1${request.path}`;
  const search = request.url.indexOf("?");
  const sentAt = performance.now();
  const outcome = await forward(
    {
      method,
      url: upstreamUrl({
        baseUrl,
        dialect: path.startsWith("/v1/messages") || context.dialect === "anthropic" ? "anthropic" : "openai",
        path,
        query: search === -1 ? "" : request.url.slice(search),
      }),
      headers,
      body: method === "GET" ? undefined : asked.body,
      dropUsage: asked.added,
    },
    {
      response,
      dispatcher: options.dispatcher,
      timeoutMs: options.upstreamTimeoutMs,
      onlooker: quota,
      onAnswer(answer) {
        options.upstreams.answered(connection.id, { status: answer.status, ms: performance.now() - sentAt });
        options.onAnswer?.(answer, connection);
      },
      ownHeaders:
        quota &&
        ((upstream) =>
          ownRateHeaders(
            { decision: quota.decision, families: rateHeaderFamilies(upstream) },
            options.now(),
          )),
      lateHeaders,
    },
  );
  conclude(outcome);

  function conclude(forwarded: Forwarded): void {
    if (forwarded.kind === "answered" || forwarded.kind === "client-left") return;
    if (forwarded.kind === "refused") return passRefusalOn(forwarded.answer);
    quota?.failed();
    options.upstreams.failed(connection.id);
    options.log.warn(
      { connection: connection.id, why: forwarded.why, error: forwarded.cause },
      "the upstream failed",
    );
    if (forwarded.why === "broke-off") return void response.destroy();
    if (forwarded.why === "timeout")
      return fail(request, response, {
        status: 504,
        code: "upstream_timeout",
        message: "The upstream did not answer in time.",
      });
    unreachable(
      forwarded.why === "redirect"
        ? "The upstream answered with a redirect, which the gateway does not follow."
        : "The upstream cannot be reached.",
    );
  }

  function passRefusalOn(upstream: UpstreamAnswer): void {
    const { status } = upstream;
    const { provider } = connection;
    const now = options.now();
    const signals = readProviderSignals({ ...upstream, provider, receivedAt: now });
    if (tellsLimit(status, signals)) return tellLimit({ upstream, signals }, now);
    if (refusesSecret(status)) {
      options.secrets.forget(connection.id);
      options.log.warn({ connection: connection.id, status }, "the upstream refuses the connection's secret");
    }
    if (status === 401) {
      quota?.failed();
      return fail(request, response, {
        status: 502,
        code: "upstream_unauthorized",
        message: "The upstream does not accept the gateway's credentials for this connection.",
      });
    }
    fail(request, response, {
      status: 403,
      code: "upstream_forbidden",
      message: "The upstream does not allow this request to the account behind this connection.",
    });
  }

  function tellLimit(
    { upstream, signals }: { readonly upstream: UpstreamAnswer; readonly signals: ProviderSignals },
    now: number,
  ): void {
    sendAnswer(
      response,
      buildUpstreamLimit(
        {
          upstream,
          signals,
          decision: quota?.decision,
          dialect: context.dialect,
          requestId: requestIdOf(response),
          jitter: Math.random(),
        },
        now,
      ),
    );
  }

  function unreachable(message: string): void {
    fail(request, response, { status: 502, code: "upstream_unreachable", message });
  }
}

/** The client's headers as the upstream gets them, with the connection's own proof in the place of the client's. */
async function headersFor(
  request: Request,
  connection: Connection,
  { connections, secrets }: UpstreamOptions,
): Promise<HeaderMap> {
  const headers = forwardHeaders(request.headers);
  // The body was unpacked when it was read.
  headers.delete("content-encoding");
  const auth = connections.authOf(connection.id);
  const secret = await secrets.secretOf(connection.id, auth);
  for (const [name, value] of authHeaders({ auth, provider: connection.provider, secret }))
    headers.set(name, value);
  return headers;
}
