import { parseLending } from "@quota/core";
import { explanationJson, lendingPreviewJson } from "@quota/http";
import type { Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { askedInQuery } from "./askedInQuery.js";
import { lendingPreviewBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";
import { noSuchPool } from "./sendPool.js";

/**
 * `/pools/:id/explain?apiKeyId&estimated…` (why such a request would be answered as it would, and what each lending rule would say), and
 * `/pools/:id/lending/preview` (who gains by another rule, and who loses). Neither changes anything.
 */
export function addLendingRoutes(router: Router, { engine, pools }: AdminParts): void {
  const { explain, compareLending } = engine;
  if (explain !== undefined)
    router.get("/pools/:id/explain", async (request, response) => {
      const { id } = request.params;
      if ((await pools.get(id)) === undefined) return noSuchPool(response);
      const { ids, estimate } = askedInQuery(request.query, ["apiKeyId"]);
      const explanation = await explain(id, { apiKeyId: ids.apiKeyId, estimate });
      if (explanation === undefined) return noSuchPool(response);
      response.json(explanationJson(explanation));
    });

  if (compareLending !== undefined)
    router.post("/pools/:id/lending/preview", async (request, response) => {
      const { id } = request.params;
      if ((await pools.get(id)) === undefined) return noSuchPool(response);
      const { lending } = await readBody(request.body, lendingPreviewBody, (body) =>
        faultsOf(body["lending"]),
      );
      const parsed = parseLending(lending, "lending");
      const comparison = parsed.ok ? await compareLending(id, parsed.value) : undefined;
      if (comparison === undefined) return noSuchPool(response);
      response.json(lendingPreviewJson(comparison));
    });
}

function faultsOf(lending: unknown) {
  const parsed = parseLending(lending, "lending");
  return parsed.ok ? [] : parsed.faults;
}
