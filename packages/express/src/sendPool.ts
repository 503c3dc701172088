import type { Pool } from "@quota/core";
import { buildProblem, poolJson, versionTag } from "@quota/http";
import type { Response } from "express";
import { sendAnswer } from "./sendAnswer.js";

/** Answers with a pool, its version as `ETag`; 404 where there is none. */
export function sendPool(response: Response, pool: Pool | undefined): void {
  if (pool === undefined) return noSuchPool(response);
  response.setHeader("etag", versionTag(pool.version));
  response.json(poolJson(pool));
}

export function noSuchPool(response: Response): void {
  sendAnswer(response, buildProblem({ status: 404, detail: "There is no such pool." }));
}
