import { buildFailure } from "./buildFailure.js";
import type { BuiltAnswer } from "./buildProblem.js";
import type { Dialect } from "./dialectOf.js";

/** A missing or unknown API key (401), in the client's dialect. Which of the two it was is not told. */
export function buildUnauthorized({
  dialect,
  requestId,
}: {
  readonly dialect: Dialect;
  readonly requestId: string;
}): BuiltAnswer {
  return buildFailure({
    dialect,
    requestId,
    status: 401,
    code: "invalid_api_key",
    message: "The API key is missing or unknown. Send it as `Authorization: Bearer …` or `x-api-key`.",
    headers: { "www-authenticate": "Bearer" },
  });
}
