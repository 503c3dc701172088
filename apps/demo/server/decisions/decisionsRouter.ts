import { idFault } from "@quota/core";
import type { PoolDirectory } from "@quota/engine";
import {
  budgetRefusalJson,
  decisionJson,
  rateRefusalJson,
  type BudgetRefusalJson,
  type DecisionJson,
  type RateRefusalJson,
} from "@quota/http";
import express, { type Router } from "express";
import { z } from "zod";
import { parsedBody } from "../parsedBody.js";
import type { RateForest } from "../rateForest.js";
import type { DecisionLog } from "./createDecisionLog.js";

export interface DecisionsRouterParts {
  readonly decisions: Pick<DecisionLog, "newest">;
  readonly pools: Pick<PoolDirectory, "ofConnection">;
  readonly forest: Pick<RateForest, "current">;
}

/** `GET /api/decisions?connectionId&apiKeyId`: the newest refusals, and what could not be judged, with their numbers. */
export function createDecisionsRouter({ decisions, pools, forest }: DecisionsRouterParts): Router {
  const router = express.Router();
  router.get("/", async (request, response) => {
    const query: unknown = request.query;
    const of = parsedBody({ body: query, response }, QUERY, (given) =>
      Object.keys(QUERY.shape).flatMap((name) =>
        given[name] === undefined ? [] : (idFault(given[name], name) ?? []),
      ),
    );
    if (of === undefined) return;
    const shown = decisions.newest(of as { readonly connectionId?: string; readonly apiKeyId?: string });
    const poolIds = new Map<string, string | undefined>();
    for (const { connectionId } of shown)
      if (!poolIds.has(connectionId)) poolIds.set(connectionId, (await pools.ofConnection(connectionId))?.id);
    const { idOf } = forest.current();
    const json = shown.map(({ sequence, at, apiKeyId, connectionId, decision }): LoggedDecisionJson => {
      const poolId = poolIds.get(connectionId);
      return {
        id: String(sequence),
        at,
        apiKeyId,
        connectionId,
        ...(poolId !== undefined && { poolId }),
        decision:
          "dimensions" in decision
            ? decisionJson(decision)
            : "standing" in decision
              ? budgetRefusalJson(decision)
              : rateRefusalJson(decision, (nodeId) => idOf.get(nodeId) ?? nodeId),
      };
    });
    response.set("cache-control", "no-store").json(json);
  });
  return router;
}

/** One of them. Amounts are in units. */
export interface LoggedDecisionJson {
  /** Unique in this process. */
  readonly id: string;
  readonly at: number;
  readonly apiKeyId: string;
  readonly connectionId: string;
  /** The pool that shares the connection now. */
  readonly poolId?: string;
  readonly decision: DecisionJson | RateRefusalJson | BudgetRefusalJson;
}

/** What an id may be is for core to say. */
const QUERY = z.strictObject({ connectionId: z.unknown().optional(), apiKeyId: z.unknown().optional() });
