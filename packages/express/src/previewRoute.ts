import { idFault } from "@quota/core";
import { InvalidInputError } from "@quota/engine";
import { decisionJson, parseEstimateQuery } from "@quota/http";
import type { Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { noSuchPool } from "./sendPool.js";

/** `/preview?poolId&apiKeyId&estimated…`: what would happen to such a request now. Changes nothing. */
export function addPreviewRoute(router: Router, { engine, pools, planBook }: AdminParts): void {
  router.get("/preview", async (request, response) => {
    const { poolId, apiKeyId } = request.query;
    const estimate = parseEstimateQuery(request.query);
    const badIds = [idFault(poolId, "poolId"), idFault(apiKeyId, "apiKeyId")].filter(
      (fault) => fault !== undefined,
    );
    if (!estimate.ok || badIds.length > 0)
      throw new InvalidInputError([...badIds, ...(estimate.ok ? [] : estimate.faults)]);
    const pool = await pools.get(poolId as string);
    if (pool === undefined) return noSuchPool(response);
    const { connectionId } = pool;
    const decision = await engine.preview({
      apiKeyId: apiKeyId as string,
      connectionId,
      provider: await planBook.providerOf(connectionId),
      estimate: estimate.value,
    });
    response.json(decisionJson(decision));
  });
}
