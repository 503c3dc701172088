import type { IncomingMessage } from "node:http";
import type { Dialect as ErrorDialect } from "@quota/http";
import type { ApiKey } from "./apiKeys.js";
import type { Connection } from "./connections.js";

/** What is known of a request once it was let in. */
export interface RequestContext {
  readonly requestId: string;
  /** In whose shapes this client understands errors. */
  readonly dialect: ErrorDialect;
  readonly apiKey: ApiKey;
  readonly connection: Connection;
  /** As it came, but unpacked; empty for a GET. */
  readonly body: Buffer;
  /** The body as JSON; undefined for a GET. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** Keeps what the steps of the proxy tell each other, for as long as the request lives. */
export interface RequestContexts {
  set(request: IncomingMessage, context: RequestContext): void;
  of(request: IncomingMessage): RequestContext;
}

export function createRequestContexts(): RequestContexts {
  const contexts = new WeakMap<IncomingMessage, RequestContext>();
  return {
    set: (request, context) => void contexts.set(request, context),
    of(request) {
      const context = contexts.get(request);
      if (context === undefined) throw new TypeError("This request was not let in.");
      return context;
    },
  };
}
