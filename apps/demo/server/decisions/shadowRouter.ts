import type { PoolDirectory } from "@quota/engine";
import { sendAnswer } from "@quota/express";
import { buildProblem } from "@quota/http";
import express, { type Router } from "express";
import type { ShadowTally } from "./createShadowTally.js";

/** `GET /api/quota/pools/:id/shadow`: how often the pool's rule and its shadow rule agreed; 404 where there is no such pool, or no shadow. */
export function createShadowRouter({
  shadows,
  pools,
}: {
  readonly shadows: Pick<ShadowTally, "of">;
  readonly pools: Pick<PoolDirectory, "get">;
}): Router {
  const router = express.Router();
  router.get("/:id/shadow", async (request, response) => {
    const pool = await pools.get(request.params.id);
    const counted = pool === undefined ? undefined : shadows.of(pool);
    if (counted === undefined) {
      const detail = pool === undefined ? "There is no such pool." : "The pool has no shadow rule.";
      return sendAnswer(response, buildProblem({ status: 404, detail }));
    }
    response.set("cache-control", "no-store").json(counted);
  });
  return router;
}
