import { schemeOf, type Asked } from "./schemeOf.js";

/**
 * The ids of sessions that a request's cookies name. A browser may send several of one name (another server on this host can plant
 * one for a narrower path), so each that could be one of ours is looked at. A request's headers have room for some two hundred.
 */
export function sessionIdsOf(request: Asked): readonly string[] {
  const name = `${nameFor(request)}=`;
  const ids = new Set<string>();
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const cookie = pair.trim();
    if (!cookie.startsWith(name)) continue;
    const id = cookie.slice(name.length);
    if (/^[\w-]{43}$/u.test(id)) ids.add(id);
  }
  return [...ids];
}

/**
 * A `Set-Cookie` for this session: out of reach of scripts, and sent with no request that another site has caused. `maxAgeS` 0 takes it back.
 * `Secure` where the request came by TLS, here or at the proxy in front.
 */
export function sessionCookie(
  request: Asked,
  { id, maxAgeS }: { readonly id: string; readonly maxAgeS: number },
): string {
  const secure = schemeOf(request) === "https" ? "; Secure" : "";
  return `${nameFor(request)}=${id}; Path=/; Max-Age=${String(maxAgeS)}; HttpOnly; SameSite=Strict${secure}`;
}

/** Cookies are shared between the ports of a host: two gateways on one machine must not sign each other out. */
function nameFor({ socket }: Asked): string {
  return `quota_session_${String(socket.localPort)}`;
}
