import { decisionJson } from "@quota/http";
import type { Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { askedInQuery } from "./askedInQuery.js";
import { noSuchPool } from "./sendPool.js";

/** `/preview?poolId&apiKeyId&estimated…`: what would happen to such a request now. Changes nothing. */
export function addPreviewRoute(router: Router, { engine, pools, planBook }: AdminParts): void {
  router.get("/preview", async (request, response) => {
    const { ids, estimate } = askedInQuery(request.query, ["poolId", "apiKeyId"]);
    const pool = await pools.get(ids.poolId);
    if (pool === undefined) return noSuchPool(response);
    const { connectionId } = pool;
    const decision = await engine.preview({
      apiKeyId: ids.apiKeyId,
      connectionId,
      provider: await planBook.providerOf(connectionId),
      estimate,
    });
    response.json(decisionJson(decision));
  });
}
