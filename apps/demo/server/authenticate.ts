import type { IncomingMessage } from "node:http";
import type { ApiKey, ApiKeys } from "./apiKeys.js";
import { bearerOf } from "./bearer.js";

/**
 * Whose request this is: by `Authorization: Bearer …`, else by `x-api-key`. A disabled key is nobody's, and so is a demo key
 * where more than this machine can reach the gateway.
 */
export function authenticate(
  request: Pick<IncomingMessage, "headers">,
  { keys, onLoopback }: { readonly keys: Pick<ApiKeys, "ofSecret">; readonly onLoopback: boolean },
): ApiKey | undefined {
  for (const secret of [bearerOf(request), request.headers["x-api-key"]]) {
    if (typeof secret !== "string" || secret === "") continue;
    const key = keys.ofSecret(secret);
    if (key !== undefined && !key.disabled && (onLoopback || !key.loopbackOnly)) return key;
  }
  return undefined;
}
