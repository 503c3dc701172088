import type { ApiKey, ApiKeys } from "./apiKeys.js";
import { bearerOf } from "./bearer.js";
import type { HostCheck } from "./session/hostCheck.js";
import type { Asked } from "./session/schemeOf.js";

/**
 * Whose request this is: by `Authorization: Bearer …`, else by `x-api-key`. A disabled key is nobody's, and so is a demo key
 * where more than this machine can reach the gateway, or where a browser believes that it talks to somebody else.
 */
export function authenticate(
  request: Asked,
  {
    keys,
    hosts,
  }: { readonly keys: Pick<ApiKeys, "ofSecret">; readonly hosts: Pick<HostCheck, "isLoopback"> },
): ApiKey | undefined {
  for (const secret of [bearerOf(request), request.headers["x-api-key"]]) {
    if (typeof secret !== "string" || secret === "") continue;
    const key = keys.ofSecret(secret);
    if (key !== undefined && !key.disabled && (!key.loopbackOnly || hosts.isLoopback(request))) return key;
  }
  return undefined;
}
