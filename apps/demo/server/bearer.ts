import type { IncomingMessage } from "node:http";

/** The token of `Authorization: Bearer …`; undefined without one. */
export function bearerOf(request: Pick<IncomingMessage, "headers">): string | undefined {
  return /^bearer +([^\s]+) *$/iu.exec(request.headers.authorization ?? "")?.[1];
}
