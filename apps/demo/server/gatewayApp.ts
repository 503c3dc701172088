import { StoreError, type PlanOverrides } from "@quota/engine";
import { quotaAdmin, sendAnswer } from "@quota/express";
import { buildBadRequest, buildProblem, type ProblemStatus } from "@quota/http";
import express, { type ErrorRequestHandler, type Express } from "express";
import type { Logger } from "pino";
import { createAdminRouter, type AdminParts } from "./adminRouter.js";
import { createConfigRouter, type ConfigRouterParts } from "./config/configRouter.js";
import { createDashboard } from "./dashboard/createDashboard.js";
import type { DecisionLog } from "./decisions/createDecisionLog.js";
import type { ShadowTally } from "./decisions/createShadowTally.js";
import { createDecisionsRouter } from "./decisions/decisionsRouter.js";
import { createShadowRouter } from "./decisions/shadowRouter.js";
import { fail } from "./failures.js";
import type { Health } from "./health.js";
import type { InFlight } from "./inFlight.js";
import { logRequests } from "./logRequests.js";
import type { Metrics } from "./metrics.js";
import { createOverview } from "./overview/createOverview.js";
import { createOverviewRouter } from "./overview/overviewRouter.js";
import type { QuotaStore } from "./quotaStore/quotaStore.js";
import { createQuotaStoreRouter } from "./quotaStore/quotaStoreRouter.js";
import { createProxyRouter, type ProxyParts } from "./proxyRouter.js";
import type { SharingSettings } from "./sharingSettings/createSharingSettings.js";
import { createSharingRouter } from "./sharingSettings/sharingRouter.js";
import { createAdminGuard } from "./session/adminGuard.js";
import { createSessionRouter, type SessionRouterParts } from "./session/sessionRouter.js";
import type { LoginWatch } from "./signals/createLoginWatch.js";
import { createSpendRouter, type SpendRouterParts } from "./spend/spendRouter.js";
import type { Traffic } from "./traffic/createTraffic.js";
import { createTrafficRouter } from "./traffic/trafficRouter.js";

export interface GatewayParts
  extends ProxyParts, AdminParts, ConfigRouterParts, SessionRouterParts, SpendRouterParts {
  readonly plans: PlanOverrides;
  /** Where the built pages are, if they were built. */
  readonly webDirectory: string | undefined;
  readonly inFlight: InFlight;
  readonly metrics: Metrics;
  readonly health: () => Promise<Health>;
  readonly quotaStore: QuotaStore;
  readonly sharing: SharingSettings;
  readonly decisions: DecisionLog;
  readonly shadows: Pick<ShadowTally, "of">;
  readonly logins: Pick<LoginWatch, "needed">;
  /** Undefined where there are no simulated clients. */
  readonly traffic: Traffic | undefined;
}

/** The gateway as an Express app: clients on `/v1`, the admin on `/api` and `/dashboard`, whoever watches on `/healthz` and `/metrics`. */
export function createGatewayApp(parts: GatewayParts): Express {
  const { engine, pools, plans, metrics, health, inFlight, log } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // A path in another spelling is another path, as it is for the upstream.
  app.enable("case sensitive routing");
  app.use(logRequests(log));

  // First of all paths: each that stands before it costs every request a look.
  app.use("/v1", inFlight.gate, createProxyRouter(parts));

  app.get("/healthz", async (_request, response) => {
    const { status, body } = await health();
    response.status(status).set("cache-control", "no-store").json(body);
  });
  app.get("/metrics", async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.text());
  });

  const admins = createAdminGuard(parts);
  app.use("/api/session", createSessionRouter(parts));
  app.use("/api", admins.letIn);
  // What it does not know passes by, and what is below /api/quota the next one answers to the last path.
  app.use("/api/quota/pools", createShadowRouter(parts));
  app.use(
    quotaAdmin({
      engine,
      pools,
      plans,
      authorize: admins.isAdmin,
      connections: () => parts.connections.list(),
      clock: { now: parts.now },
      logger: log,
    }),
  );
  app.use("/api/settings/quota-store", createQuotaStoreRouter(parts.quotaStore));
  app.use("/api/settings/sharing", createSharingRouter(parts.sharing));
  app.use("/api/config", createConfigRouter(parts));
  app.use("/api/decisions", createDecisionsRouter(parts));
  app.use("/api/spend", createSpendRouter(parts));
  const overview = createOverview({ ...parts, traffic: parts.traffic !== undefined });
  app.use("/api/overview", createOverviewRouter(overview));
  if (parts.traffic !== undefined) app.use("/api/demo/traffic", createTrafficRouter(parts.traffic));
  app.use("/api", createAdminRouter(parts));

  app.use(createDashboard({ directory: parts.webDirectory, hosts: parts.hosts }));

  app.use((_request, response) =>
    sendAnswer(response, buildProblem({ status: 404, detail: "There is nothing at this path." })),
  );
  app.use(whatWentWrong(log));
  return app;
}

/** Every error that a handler did not see to. Nothing of it but a known status reaches the client. */
function whatWentWrong(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { status, code, message } = toldOf(error);
    if (status >= 500) log.error({ error, method: request.method, path: request.path }, "a request failed");
    if (response.headersSent) return next(error);
    if (request.originalUrl.startsWith("/v1")) return fail(request, response, { status, code, message });
    sendAnswer(
      response,
      status === 400 ? buildBadRequest([{ path: "", message }]) : buildProblem({ status, detail: message }),
    );
  };
}

function toldOf(error: unknown): {
  readonly status: ProblemStatus;
  readonly code: string;
  readonly message: string;
} {
  const { type, code } = (error ?? {}) as { readonly type?: unknown; readonly code?: unknown };
  if (error instanceof StoreError || (typeof code === "string" && code.startsWith("SQLITE_")))
    return { status: 503, code: "quota_unavailable", message: "The gateway's database does not answer." };
  switch (type) {
    case "entity.too.large":
      return { status: 413, code: "request_too_large", message: "The body of the request is too large." };
    case "charset.unsupported":
      return {
        status: 415,
        code: "unsupported_charset",
        message: "The body's charset is not known; send it in UTF-8.",
      };
    case "encoding.unsupported":
      return {
        status: 415,
        code: "unsupported_encoding",
        message: "The body's content-encoding must be identity, gzip, deflate or br.",
      };
    case "entity.parse.failed":
      return { status: 400, code: "invalid_json", message: "The body is not JSON that parses." };
    case "request.aborted":
    case "request.size.invalid":
      return { status: 400, code: "incomplete_body", message: "The body of the request is not complete." };
    case undefined:
    default:
      break;
  }
  // body-parser's own words for a body that does not unpack, and a path whose percent signs do not decode.
  const status = (error as { readonly status?: unknown } | undefined)?.status;
  return status === 400
    ? { status: 400, code: "bad_request", message: "The request cannot be read." }
    : { status: 500, code: "internal_error", message: "The gateway failed to answer." };
}
