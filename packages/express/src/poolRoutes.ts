import { idFault, type Fault, type PoolSpec } from "@quota/core";
import type { PoolChange } from "@quota/engine";
import { burnJson, poolJson, usageJson } from "@quota/http";
import type { Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { ifMatch } from "./ifMatch.js";
import { poolFaults } from "./poolFaults.js";
import { poolBody, poolChangeBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";
import { noSuchPool, sendPool } from "./sendPool.js";

/** `/pools`, `/pools/:id`, `/pools/:id/usage` and `/pools/:id/burn`. */
export function addPoolRoutes(router: Router, { engine, pools, planBook, clock }: AdminParts): void {
  router.get("/pools", async (_request, response) => void response.json((await pools.list()).map(poolJson)));

  router.post("/pools", async (request, response) => {
    const spec = await readBody(request.body, poolBody, async ({ id, ...terms }) => [
      ...(id === undefined
        ? []
        : [idFault(id, "id") ?? unnameable(id)].filter((fault) => fault !== undefined)),
      ...(await poolFaults(terms, planBook)),
      ...(await strangeConnection(terms["connectionId"])),
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

  const { burn } = engine;
  if (burn !== undefined)
    router.get("/pools/:id/burn", async (request, response) => {
      const found = await burn(request.params.id);
      if (found === undefined) return noSuchPool(response);
      response.json(burnJson(found));
    });

  /** A pool of a connection that is not there would share nothing, and nobody would notice. */
  async function strangeConnection(connectionId: unknown): Promise<readonly Fault[]> {
    if (typeof connectionId !== "string" || idFault(connectionId, "connectionId") !== undefined) return [];
    if (await planBook.isKnown(connectionId)) return [];
    const message = "connectionId names no connection; make the connection first, or spell it right.";
    return [{ path: "connectionId", code: "unknown-connection", message }];
  }
}

/** A client's URL parser takes these out of a path, so nobody could ever ask for such a pool again. */
function unnameable(id: unknown): Fault | undefined {
  if (id !== "." && id !== "..") return undefined;
  return { path: "id", code: "id-unnameable", message: "id must not be . or .., which no URL can name." };
}

/** A member that is taken away; core knows it as one that was never there. */
function withoutNulls(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { saturationThreshold, whenStoreFails, shadow } = body;
  return {
    ...body,
    ...(saturationThreshold === null && { saturationThreshold: undefined }),
    ...(whenStoreFails === null && { whenStoreFails: undefined }),
    ...(shadow === null && { shadow: undefined }),
  };
}
