import { EventEmitter, once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Response } from "express";
import { dropUsageChunk, passThroughHeaders, type HeaderMap } from "@quota/http";
import { request as send, type Dispatcher } from "undici";
import { jsonWithin } from "./jsonWithin.js";

/** A request on its way to an upstream. */
export interface Outgoing {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: HeaderMap;
  readonly body?: Uint8Array | undefined;
  /** Usage was asked for on the client's behalf: the chunk that carries it is taken out of the stream again. */
  readonly dropUsage: boolean;
}

/** Who looks on: sees the status and headers, then the upstream's bytes before anything is taken out of them. */
export interface Onlooker {
  upstream(status: number, headers: IncomingHttpHeaders): void;
  observe(chunk: Uint8Array): void;
  /** Whether what was observed is an answer from its beginning to its end. */
  isWhole(): boolean;
  /** All was observed: nothing that completes the answer leaves before this is done. */
  conclude(): void | Promise<void>;
}

/** What an upstream said of the account that is behind it: every answer has a status and headers, and some errors a body that matters. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON of a 401, 402, 403 or 429; undefined for every other status, and where the body is long, broken or no JSON. */
  readonly body: unknown;
}

/** How it ended. Nothing has been sent to the client where the upstream refused, or failed before its answer. */
export type Forwarded =
  | { readonly kind: "answered"; readonly status: number }
  /** It speaks of the owner's account, and of no request: the client is told in words of ours. */
  | { readonly kind: "refused"; readonly answer: UpstreamAnswer }
  | { readonly kind: "client-left" }
  | {
      readonly kind: "failed";
      readonly why: "unreachable" | "timeout" | "redirect" | "broke-off";
      readonly cause?: unknown;
    };

/**
 * Sends a request to its upstream and the answer to the client, piece by piece: nothing is buffered, a slow reader slows the upstream
 * down, and when the client goes the upstream is told. Redirects are not followed, so that no credential goes where it was not meant.
 */
export async function forward(
  outgoing: Outgoing,
  {
    response,
    dispatcher,
    timeoutMs,
    onlooker,
    onAnswer,
    ownHeaders,
    lateHeaders,
  }: {
    readonly response: Response;
    readonly dispatcher: Dispatcher;
    readonly timeoutMs: number;
    readonly onlooker?: Onlooker | undefined;
    /** Told of every answer once, before any of it reaches the client. */
    readonly onAnswer?: ((answer: UpstreamAnswer) => void) | undefined;
    /** What the client gets in the place of the rate headers that the upstream sent. */
    readonly ownHeaders?: ((upstream: IncomingHttpHeaders) => ReadonlyMap<string, string>) | undefined;
    /** Headers that were asked for elsewhere while the upstream worked; the head waits for them. */
    readonly lateHeaders?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
  },
): Promise<Forwarded> {
  // To undici as good as an AbortSignal, and not a tenth of its price.
  const gone = Object.assign(new EventEmitter(), { aborted: false });
  const leave = (): void => {
    gone.aborted = true;
    gone.emit("abort");
  };
  response.once("close", leave);
  if (response.destroyed) return { kind: "client-left" };
  try {
    const { method, url, headers, body } = outgoing;
    const answer = await send(url, {
      method,
      headers,
      body: body ?? null,
      dispatcher,
      signal: gone,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    const { statusCode: status, headers: told } = answer;
    if (status >= 300 && status < 400) {
      // Nobody reads it, so nobody else would hear of its abortion.
      answer.body.on("error", () => undefined).destroy();
      return { kind: "failed", why: "redirect" };
    }
    onlooker?.upstream(status, told);
    if (OF_THE_ACCOUNT.has(status)) {
      const refused = { status, headers: told, body: await jsonWithin(answer.body, LONGEST_ERROR_BYTES) };
      if (gone.aborted) return { kind: "client-left" };
      onAnswer?.(refused);
      return { kind: "refused", answer: refused };
    }
    onAnswer?.({ status, headers: told, body: undefined });
    const isStream = /^text\/event-stream\b/iu.test(String(told["content-type"] ?? ""));
    const filter = outgoing.dropUsage && isStream ? dropUsageChunk() : undefined;
    response.status(status);
    const rewritten = filter !== undefined;
    response.setHeaders(passThroughHeaders({ headers: told, status, rewritten, own: ownHeaders?.(told) }));
    if (lateHeaders !== undefined) response.setHeaders(new Map(await lateHeaders()));
    // The head of a stream may come long before its first event; where they came together they leave together.
    if (isStream && answer.body.readableLength === 0) response.flushHeaders();
    const length = Number(told["content-length"] ?? Number.POSITIVE_INFINITY);
    let seen = 0;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      onlooker?.observe(chunk);
      seen += chunk.length;
      if (onlooker !== undefined && (seen >= length || onlooker.isWhole())) await onlooker.conclude();
      await write(response, filter === undefined ? chunk : filter.push(chunk));
    }
    await onlooker?.conclude();
    if (filter !== undefined) await write(response, filter.flush());
    response.off("close", leave);
    response.end();
    return { kind: "answered", status };
  } catch (cause) {
    if (gone.aborted) return { kind: "client-left" };
    if (response.headersSent) return { kind: "failed", why: "broke-off", cause };
    return { kind: "failed", why: isTimeout(cause) ? "timeout" : "unreachable", cause };
  } finally {
    response.off("close", leave);
  }
}

/** Their texts name the owner's plan, organisation, balance or a part of its key, and a client would take a 401 for its own key's, and log out. */
const OF_THE_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 403, 429]);

const LONGEST_ERROR_BYTES = 65_536;

/** Writes, and waits while the client's socket is full. */
async function write(response: Response, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || response.write(bytes) || response.destroyed) return;
  const settled = new AbortController();
  try {
    await Promise.race([
      once(response, "drain", { signal: settled.signal }),
      once(response, "close", { signal: settled.signal }),
    ]);
  } finally {
    settled.abort();
  }
}

function isTimeout(error: unknown): boolean {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return (
    code === "UND_ERR_HEADERS_TIMEOUT" ||
    code === "UND_ERR_BODY_TIMEOUT" ||
    code === "UND_ERR_CONNECT_TIMEOUT"
  );
}
