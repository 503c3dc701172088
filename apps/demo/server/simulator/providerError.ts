import type { JsonObject } from "./jsonObject.js";

/** Codex is an OpenAI client that is told about a spent login in a shape of its own. */
export type ErrorDialect = "openai" | "anthropic" | "codex";

/** The body of an error as the provider words it. That a limit is reached is for its family to say. */
export function providerError({
  dialect,
  status,
  message,
  requestId,
}: {
  readonly dialect: ErrorDialect;
  readonly status: number;
  readonly message: string;
  readonly requestId: string;
}): JsonObject {
  if (dialect === "anthropic") {
    return {
      type: "error",
      error: { type: anthropicTypes.get(status) ?? "api_error", message },
      request_id: requestId,
    };
  }
  if (dialect === "codex" && status === 401)
    return { error: { message, type: null, code: "token_expired", param: null }, status };
  const [type, code] = openaiTypes.get(status) ?? ["server_error", null];
  return { error: { message, type, param: null, code } };
}

const anthropicTypes: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [529, "overloaded_error"],
]);

const openaiTypes: ReadonlyMap<number, readonly [type: string, code: string | null]> = new Map([
  [400, ["invalid_request_error", null]],
  [401, ["invalid_request_error", "invalid_api_key"]],
  [403, ["invalid_request_error", "unsupported_country_region_territory"]],
  [404, ["invalid_request_error", "model_not_found"]],
  [413, ["invalid_request_error", "request_too_large"]],
]);
