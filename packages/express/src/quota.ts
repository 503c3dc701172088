import { isRecord } from "@quota/core";
import {
  createWaitingRoom,
  type QuotaCaller,
  type QuotaRequest,
  type RatedAdmission,
  type WaitingRoom,
} from "@quota/engine";
import {
  buildBudgetRefusal,
  buildRateRefusal,
  buildRefusal,
  buildUnauthorized,
  createEstimates,
  dialectOf,
  EXPOSED_HEADERS,
  rateLimitFields,
} from "@quota/http";
import type { Request, RequestHandler, Response } from "express";
import { governAnswer } from "./governAnswer.js";
import type { QuotaOptions } from "./quotaOptions.js";
import { sendAnswer } from "./sendAnswer.js";

/**
 * The middleware: asks the engine before a request goes on, answers 429 (503, 401) where it may not, and settles with the response.
 *
 * - A request is let in with its estimate held, and charged once, however it ends: by what the answer says it took, by what was
 *   produced, or not at all (`settlementOf` of @quota/http is the rule). Nothing waits for that, the last byte least of all.
 * - Mount it after authentication and after the body is parsed, and around whatever compresses answers (`app.use(quota(…))` after
 *   `app.use(compression())`): the bytes are looked at before they are compressed. An answer that arrives here compressed is charged as estimated.
 * - `OPTIONS` passes, neither counted nor refused. `HEAD` is a request like `GET`: counted and refused alike, and charged as estimated.
 * - If somebody else answers while the engine is asked (a time-out), nothing is sent, the rest of the chain is not run, and no hold is left.
 *
 * @example
 * app.use("/v1", express.json(), quota({
 *   engine,
 *   identify: (request) => ({ apiKeyId: keyOf(request), connectionId: "kimi-demo", provider: "kimi" }),
 * }));
 */
export function quota(options: QuotaOptions): RequestHandler {
  const { engine, identify, exposeHeaders = false, waitUpTo = 0, logger } = options;
  const { measure, tokenPrices, costOf, onCharged } = options;
  const clock = options.clock ?? { now: () => Date.now() };
  const room: WaitingRoom<RatedAdmission> = options.waitingRoom ?? createWaitingRoom({ engine, clock });
  const estimates = options.estimates ?? createEstimates();
  const estimate =
    options.estimate ??
    ((request: Request, { apiKeyId }: QuotaCaller) =>
      request.body === undefined
        ? { requests: 1 }
        : estimates.typicalEstimate({ apiKeyId, body: request.body as unknown, path: request.path }));
  const requestId = options.requestId ?? (() => `req_${crypto.randomUUID().replaceAll("-", "")}`);
  const tools = { engine, room, estimates, measure, tokenPrices, costOf, onCharged, logger };

  return async function govern(request, response, next) {
    if (request.method === "OPTIONS") return next();
    // Before anything is awaited: whatever happens to the response from here on is seen.
    const answer = governAnswer({ request, response }, tools);
    let asked: QuotaRequest;
    let admission: RatedAdmission;
    try {
      let caller = identify(request);
      // No turn of the microtask queue for whoever knows at once.
      if (caller !== undefined && "then" in caller) {
        caller = await caller;
        if (answer.isOver()) return;
      }
      if (caller === undefined) {
        answer.drop();
        return sendUnauthorized(request, response);
      }
      const { apiKeyId, connectionId, provider, spend } = caller;
      asked = { apiKeyId, connectionId, provider, spend, estimate: estimate(request, caller) };
      admission =
        waitUpTo > 0
          ? await room.admit(asked, { waitUpTo, signal: answer.signal() })
          : await engine.admit(asked);
    } catch (error) {
      if (answer.isOver()) return;
      answer.drop();
      throw error;
    }
    if (!answer.begin(asked, admission)) return;
    if (admission.lease === undefined)
      return sendRefusal({ ...admission, model: modelOf(asked) }, request, response);
    announce(admission, request, response);
    next();
  };

  function announce({ decision }: Admitted, request: Request, response: Response): void {
    const fields = rateLimitFields(decision, clock.now());
    const { ratelimit, "ratelimit-policy": policy, "quota-status": status } = fields;
    if (policy !== undefined) response.setHeader("ratelimit-policy", policy);
    if (ratelimit !== undefined) response.setHeader("ratelimit", ratelimit);
    if (status !== undefined) response.setHeader("quota-status", status);
    expose(request, response);
  }

  function sendRefusal(
    { decision, model }: Exclude<RatedAdmission, Admitted> & { readonly model: string | undefined },
    request: Request,
    response: Response,
  ): void {
    const told = {
      dialect: dialectIn(request),
      requestId: requestId(request, response),
      jitter: Math.random(),
    };
    expose(request, response);
    const now = clock.now();
    if ("dimensions" in decision) return sendAnswer(response, buildRefusal({ ...told, decision }, now));
    if (!("standing" in decision)) return sendAnswer(response, buildRateRefusal({ ...told, decision }, now));
    sendAnswer(response, buildBudgetRefusal({ ...told, decision, model }, now));
  }

  function sendUnauthorized(request: Request, response: Response): void {
    expose(request, response);
    sendAnswer(
      response,
      buildUnauthorized({ dialect: dialectIn(request), requestId: requestId(request, response) }),
    );
  }

  function expose({ headers }: Request, response: Response): void {
    if (exposeHeaders && headers.origin !== undefined && !response.headersSent)
      response.appendHeader("access-control-expose-headers", EXPOSED);
  }
}

type Admitted = Extract<RatedAdmission, { readonly lease: unknown }>;

const EXPOSED = EXPOSED_HEADERS.join(", ");

function modelOf({ estimate }: QuotaRequest): string | undefined {
  const model = isRecord(estimate) ? estimate["model"] : undefined;
  return typeof model === "string" && model !== "" ? model : undefined;
}

function dialectIn({ originalUrl, headers }: Request): ReturnType<typeof dialectOf> {
  return dialectOf({ path: originalUrl, headers });
}
