import { isRecord } from "@quota/core";
import type { PoolDirectory, QuotaEngine, RatedAdmission, WaitingRoom } from "@quota/engine";
import { quota, quotaOf } from "@quota/express";
import { createEstimates } from "@quota/http";
import express, { type Request, type RequestHandler, type Response, type Router } from "express";
import type { ApiKeys } from "./apiKeys.js";
import { authenticate } from "./authenticate.js";
import { chooseConnection } from "./chooseConnection.js";
import type { Connections } from "./connections.js";
import { dialectIn, fail, requestIdOf, unauthorized } from "./failures.js";
import { ownUsage } from "./ownUsage.js";
import { contextOf, type ProxyLocals } from "./requestContext.js";
import { ROUTES, type Dialect } from "./route.js";
import type { HostCheck } from "./session/hostCheck.js";
import { sendUpstream, type UpstreamOptions } from "./sendUpstream.js";
import type { SpendDesk } from "./spend/createSpendDesk.js";

export interface ProxyParts extends UpstreamOptions {
  readonly engine: QuotaEngine;
  /** Requests are admitted through it, whether they may wait or not. */
  readonly waitingRoom: WaitingRoom<RatedAdmission>;
  readonly pools: PoolDirectory;
  readonly keys: ApiKeys;
  readonly connections: Connections;
  /** Which requests name this machine itself: demo keys are good for no others. */
  readonly hosts: HostCheck;
  readonly desk: SpendDesk;
  readonly bodyLimitBytes: number;
  readonly waitUpToMs: number;
  readonly now: () => number;
}

/**
 * `/v1/*`: lets a client in by its API key, finds the connection, asks the engine, and passes the request on. Each step is a
 * handler of its own, in this order, so that nothing is read of a request that is refused for its key.
 */
export function createProxyRouter(parts: ProxyParts): Router {
  const { engine, waitingRoom, pools, keys, connections, hosts, desk } = parts;
  const router = express.Router({ caseSensitive: true, strict: true });
  const estimates = createEstimates();

  // A preflight is neither counted nor refused; which origins may read answers is for whoever deploys this to say.
  router.options(
    "/{*path}",
    (_request, response) => void response.status(204).set("allow", "GET, POST, OPTIONS").end(),
  );

  const letIn: RequestHandler = (request, response, next) => {
    const key = authenticate(request, { keys, hosts });
    if (key === undefined) return unauthorized(request, response);
    (response.locals as ProxyLocals).apiKey = key;
    next();
  };

  const readBody = express.raw({ limit: parts.bodyLimitBytes, type: () => true });

  const findConnection =
    (dialect: Dialect | undefined): RequestHandler =>
    async (request, response, next) => {
      const locals = response.locals as ProxyLocals;
      const apiKey = locals.apiKey!;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const hasBody = request.method === "POST";
      const json = hasBody ? jsonObject(body) : undefined;
      if (json === undefined && hasBody)
        return fail(request, response, {
          status: 400,
          code: "invalid_json",
          message: "The body of the request is not a JSON object.",
        });
      const listed = connections.list();
      const allocated = new Set<string>();
      // Of one there is no choice to make.
      for (const { id } of listed.length > 1 ? listed : [])
        if ((await pools.ofConnection(id))?.allocations.has(apiKey.id) === true) allocated.add(id);
      const model = json?.["model"];
      const named = request.headers["x-quota-connection"];
      const choice = chooseConnection({
        connections: listed,
        named: typeof named === "string" && named !== "" ? named : undefined,
        dialect,
        model: typeof model === "string" ? model : undefined,
        isAllocated: (id) => allocated.has(id),
      });
      if (!("connection" in choice)) return fail(request, response, choice);
      locals.context = { dialect: dialectIn(request), apiKey, connection: choice.connection, body, json };
      next();
    };

  const govern = quota({
    engine: { ...engine, admit: (asked) => waitingRoom.admit(asked) },
    waitingRoom,
    identify: (request) => {
      const { apiKey, connection } = contextOf(request);
      const spend = desk.open(request);
      return { apiKeyId: apiKey.id, connectionId: connection.id, provider: connection.provider, spend };
    },
    // The body was parsed once, when the connection was looked for.
    estimate: (request, { apiKeyId }) =>
      desk.estimated(
        request,
        estimates.typicalEstimate({ apiKeyId, body: contextOf(request).json, path: request.path }),
      ),
    costOf: desk.costOf,
    onCharged: desk.charged,
    estimates,
    waitUpTo: parts.waitUpToMs,
    requestId: (_request, response) => requestIdOf(response),
    clock: { now: parts.now },
    logger: parts.log,
  });

  const passOn = (request: Request, response: Response): Promise<void> =>
    sendUpstream(
      {
        request,
        response,
        context: contextOf(request),
        quota: quotaOf(response),
        lateHeaders: desk.headersOf(response),
      },
      parts,
    );

  for (const { path, dialect, counted } of ROUTES)
    router.post(
      path.slice("/v1".length),
      letIn,
      readBody,
      findConnection(dialect),
      ...(counted ? [govern] : []),
      passOn,
    );
  router.get("/models", letIn, findConnection(undefined), passOn);
  router.get("/usage", letIn, async (_request, response) => {
    response
      .set("cache-control", "no-store")
      .json(await ownUsage((response.locals as ProxyLocals).apiKey!.id, parts));
  });
  router.use((request, response) =>
    fail(request, response, {
      status: 404,
      code: "unknown_route",
      message: "The gateway has no such route.",
    }),
  );
  return router;
}

function jsonObject(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
