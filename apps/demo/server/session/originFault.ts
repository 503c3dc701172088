import { schemeOf, type Asked } from "./schemeOf.js";

/**
 * What is wrong with the origin of a request that changes something: undefined where it comes from a page of this gateway's own. Check its
 * `Host` before: this compares with it. A cookie marked `SameSite=Strict` is still sent by pages on other ports of the same host, so
 * the cookie alone proves nothing.
 *
 * @param needed whether a request that says nothing of its origin is at fault. Browsers always say it; scripts do not.
 */
export function originFault(request: Asked, { needed }: { readonly needed: boolean }): string | undefined {
  const { origin, host = "", "sec-fetch-site": site } = request.headers;
  if (site !== undefined && site !== "same-origin")
    return "Only the gateway's own pages may do this with a session: the browser says that another site has asked (Sec-Fetch-Site).";
  if (origin === undefined)
    return needed
      ? "A request that changes something with a session needs an Origin header; scripts send the admin token as `Authorization: Bearer …` instead."
      : undefined;
  if (origin === `${schemeOf(request)}://${host.toLowerCase()}`) return undefined;
  return "Only the gateway's own pages may do this with a session: Origin and Host do not agree. A proxy in front must pass on Host, and X-Forwarded-Proto if it speaks TLS.";
}
