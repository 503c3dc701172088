import type { JsonObject } from "./jsonObject.js";

/** Codex is told about a spent quota in a shape of its own; otherwise it is an OpenAI client. */
export type ErrorDialect = "openai" | "anthropic" | "codex";

export interface ProviderError {
  readonly dialect: ErrorDialect;
  readonly status: number;
  readonly message: string;
  readonly requestId: string;
  /** Of a 429. */
  readonly resetsAt?: number;
}

/** An error as the provider words it: body and the headers that belong to it. */
export function providerError(
  error: ProviderError,
  now: number,
): { readonly body: JsonObject; readonly headers: Readonly<Record<string, string>> } {
  return { body: errorBody(error, now), headers: retryHeaders(error, now) };
}

function errorBody(
  { dialect, status, message, requestId, resetsAt }: ProviderError,
  now: number,
): JsonObject {
  if (dialect === "anthropic") {
    return {
      type: "error",
      error: { type: anthropicTypes.get(status) ?? "api_error", message },
      request_id: requestId,
    };
  }
  if (dialect === "codex" && status === 429 && resetsAt !== undefined) {
    return {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        resets_at: Math.ceil(resetsAt / 1000),
        resets_in_seconds: secondsUntil(resetsAt, now),
      },
    };
  }
  const [type, code] = openaiTypes.get(status) ?? ["server_error", null];
  return { error: { message, type, param: null, code } };
}

function retryHeaders(
  { dialect, status, resetsAt }: ProviderError,
  now: number,
): Readonly<Record<string, string>> {
  if (dialect === "codex" || resetsAt === undefined) return {};
  const seconds = String(secondsUntil(resetsAt, now));
  if (dialect === "anthropic") return { "retry-after": seconds, "x-should-retry": "true" };
  return status === 429 ? { "retry-after": seconds, "retry-after-ms": String(resetsAt - now) } : {};
}

function secondsUntil(moment: number, now: number): number {
  return Math.max(0, Math.ceil((moment - now) / 1000));
}

const anthropicTypes: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

const openaiTypes: ReadonlyMap<number, readonly [type: string, code: string | null]> = new Map([
  [400, ["invalid_request_error", null]],
  [401, ["invalid_request_error", "invalid_api_key"]],
  [403, ["invalid_request_error", "unsupported_country_region_territory"]],
  [404, ["invalid_request_error", "model_not_found"]],
  [413, ["invalid_request_error", "request_too_large"]],
  [429, ["requests", "rate_limit_exceeded"]],
]);
