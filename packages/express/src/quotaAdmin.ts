import type { EpochMs } from "@quota/core";
import type { Logger, PlanOverrides, PoolDirectory, QuotaEngine } from "@quota/engine";
import { buildProblem } from "@quota/http";
import express, { type Request, type Router } from "express";
import { adminFailures } from "./adminFailures.js";
import { addAllocationRoutes } from "./allocationRoutes.js";
import { addLendingRoutes } from "./lendingRoutes.js";
import { addPlanRoutes } from "./planRoutes.js";
import { addPoolRoutes } from "./poolRoutes.js";
import { createPlanBook, type Connections } from "./planBook.js";
import { addPreviewRoute } from "./previewRoute.js";
import { sendAnswer } from "./sendAnswer.js";

export interface QuotaAdminOptions {
  /**
   * Without `burn`, an engine has no history to tell of, and `/pools/:id/burn` is not there; nor is `/pools/:id/explain` without `explain`, or
   * `/pools/:id/lending/preview` without `compareLending`.
   */
  readonly engine: Pick<QuotaEngine, "usage" | "preview"> &
    Partial<Pick<QuotaEngine, "burn" | "explain" | "compareLending">>;
  readonly pools: PoolDirectory;
  readonly plans: PlanOverrides;
  /** Whether this request may administer. Compare secrets in constant time. */
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /**
   * The connections there are, and their providers. Give it wherever plans come from the catalog: without it the provider of a connection
   * is not known here, and its plan is the stored one or the empty one.
   */
  readonly connections?: (() => Connections | Promise<Connections>) | undefined;
  /** The largest body, as bytes or as `"1mb"`. Default 4 MB: a pool of 10 000 allocations is about 1 MB. */
  readonly bodyLimit?: number | string | undefined;
  /** The engine's clock. Default: the system's. */
  readonly clock?: { now(): EpochMs } | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * The REST API for pools and plans, `/api/quota/*`, to be mounted at the root of any Express app. Lists are arrays, single things are themselves,
 * errors are problem+json (RFC 9457); a body's faults come all at once, in `errors`, and nothing is written then. What is not below
 * `/api/quota` passes by.
 *
 * A pool's version is its `ETag`. A change that says `If-Match` is refused with 412, and the pool as it is now, once that version is gone.
 * A plan's `ETag`, its `etag` in a list, is of what it says, and holds for `PUT` and `DELETE` in the same way.
 *
 * @example
 * app.use(quotaAdmin({ engine, pools, plans, authorize: (request) => isAdmin(request.headers.authorization) }));
 */
export function quotaAdmin(options: QuotaAdminOptions): Router {
  const { authorize, bodyLimit = "4mb", logger, connections } = options;
  const clock = options.clock ?? { now: () => Date.now() };
  const root = express.Router();
  const router = express.Router();
  root.use("/api/quota", router);

  router.use(async (request, response, next) => {
    if (await authorize(request)) return next();
    response.setHeader("www-authenticate", "Bearer");
    sendAnswer(
      response,
      buildProblem({ status: 401, detail: "Send the admin token as `Authorization: Bearer …`." }),
    );
  });
  // Whatever a client calls its body, it is read as JSON or refused.
  router.use(express.json({ limit: bodyLimit, strict: false, type: () => true }));
  router.use((_request, response, next) => {
    response.setHeader("cache-control", "no-store");
    next();
  });
  const parts = { ...options, clock, planBook: createPlanBook({ ...options, connections }) };
  addPoolRoutes(router, parts);
  addAllocationRoutes(router, parts);
  addLendingRoutes(router, parts);
  addPlanRoutes(router, parts);
  addPreviewRoute(router, parts);
  router.use((_request, response) =>
    sendAnswer(response, buildProblem({ status: 404, detail: "There is nothing at this path." })),
  );
  router.use(adminFailures(logger));
  return root;
}
