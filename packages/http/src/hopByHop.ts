import { headerText, type HeaderMap } from "./headers.js";

/**
 * Tells the lower-case names of the headers that end at this hop (RFC 9110 §7.6.1): the well-known ones and those that `Connection` names.
 */
export function hopByHop(headers: HeaderMap): (name: string) => boolean {
  const connection = headerText(headers, "connection");
  if (connection === undefined) return (name) => HOP_BY_HOP.has(name);
  const named = new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
  return (name) => HOP_BY_HOP.has(name) || named.has(name);
}

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
