import { idFault, type PoolSpec } from "@quota/core";
import type { PoolChange } from "@quota/engine";
import { poolJson, usageJson } from "@quota/http";
import type { Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { ifMatch } from "./ifMatch.js";
import { poolFaults } from "./poolFaults.js";
import { poolBody, poolChangeBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";
import { noSuchPool, sendPool } from "./sendPool.js";

/** `/pools`, `/pools/:id` and `/pools/:id/usage`. */
export function addPoolRoutes(router: Router, { engine, pools, planBook, clock }: AdminParts): void {
  router.get("/pools", async (_request, response) => void response.json((await pools.list()).map(poolJson)));

  router.post("/pools", async (request, response) => {
    const spec = await readBody(request.body, poolBody, async ({ id, ...terms }) => [
      ...(id === undefined ? [] : [idFault(id, "id")].filter((fault) => fault !== undefined)),
      ...(await poolFaults(terms, planBook)),
    ]);
    const pool = await pools.create(spec as PoolSpec & { readonly id?: string }, clock.now());
    response.status(201).location(`${request.baseUrl}/pools/${encodeURIComponent(pool.id)}`);
    sendPool(response, pool);
  });

  router.get("/pools/:id", async (request, response) =>
    sendPool(response, await pools.get(request.params.id)),
  );

  router.patch("/pools/:id", async (request, response) => {
    const { id } = request.params;
    const pool = await pools.get(id);
    if (pool === undefined) return noSuchPool(response);
    const ifVersion = ifMatch(request);
    const change = await readBody(request.body, poolChangeBody, (body) =>
      poolFaults({ ...poolJson(pool), ...withoutNulls(body), connectionId: pool.connectionId }, planBook),
    );
    sendPool(response, await pools.update(id, change as PoolChange, { ifVersion }));
  });

  router.delete("/pools/:id", async (request, response) => {
    if (!(await pools.delete(request.params.id))) return noSuchPool(response);
    response.status(204).end();
  });

  router.get("/pools/:id/usage", async (request, response) => {
    const usage = await engine.usage(request.params.id);
    if (usage === undefined) return noSuchPool(response);
    response.json(usageJson(usage));
  });
}

/** A member that is taken away; core knows it as one that was never there. */
function withoutNulls(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { saturationThreshold, whenStoreFails } = body;
  return {
    ...body,
    ...(saturationThreshold === null && { saturationThreshold: undefined }),
    ...(whenStoreFails === null && { whenStoreFails: undefined }),
  };
}
