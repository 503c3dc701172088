import type { IncomingHttpHeaders } from "node:http";

/** What is looked at of a request to know where its client believes to be. */
export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly localPort?: number | undefined; readonly encrypted?: boolean | undefined };
}

/**
 * How the client came: by TLS if it was us who spoke it, or if a proxy in front says so in `x-forwarded-proto`. Anybody can write that
 * header, and gains nothing by it: it only makes their own cookie, and the origin that they must prove, stricter.
 */
export function schemeOf({ headers, socket }: Asked): "http" | "https" {
  if (socket.encrypted === true) return "https";
  const [nearest] = String(headers["x-forwarded-proto"] ?? "").split(",");
  return nearest!.trim().toLowerCase() === "https" ? "https" : "http";
}
