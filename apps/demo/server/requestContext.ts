import type { Dialect as ErrorDialect } from "@quota/http";
import type { Request } from "express";
import type { ApiKey } from "./apiKeys.js";
import type { Connection } from "./connections.js";
import type { SpendingRequest } from "./spend/spendEventOf.js";

/** What is known of a request once it was let in. */
export interface RequestContext {
  /** In whose shapes this client understands errors. */
  readonly dialect: ErrorDialect;
  readonly apiKey: ApiKey;
  readonly connection: Connection;
  /** As it came, but unpacked; empty for a GET. */
  readonly body: Buffer;
  /** The body as JSON; undefined for a GET. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** What the steps of the proxy tell each other of a request: in its response's `locals`, to go when they go. */
export interface ProxyLocals {
  requestId?: string;
  /** From the first step on. */
  apiKey?: ApiKey;
  /** Once the connection is chosen. */
  context?: RequestContext;
  /** Once it is known who pays. */
  spending?: SpendingRequest;
}

/** @throws {TypeError} for a request for which no connection was chosen. */
export function contextOf(request: Request): RequestContext {
  const { context } = request.res!.locals as ProxyLocals;
  if (context === undefined) throw new TypeError("This request was not let in.");
  return context;
}
