import { headerText, type HeaderMap } from "./headers.js";

/**
 * The lower-case names of the headers that end at this hop (RFC 9110 §7.6.1): the well-known ones and those that `Connection` names.
 */
export function hopByHop(headers: HeaderMap): ReadonlySet<string> {
  const named = (headerText(headers, "connection") ?? "").toLowerCase().split(",");
  return new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
}

const HOP_BY_HOP: readonly string[] = [
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
];
