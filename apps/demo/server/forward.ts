import { EventEmitter, once } from "node:events";
import type { Response } from "express";
import { dropUsageChunk, passThroughHeaders, type HeaderMap } from "@quota/http";
import { request as send, type Dispatcher } from "undici";

/** A request on its way to an upstream. */
export interface Outgoing {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: HeaderMap;
  readonly body?: Uint8Array | undefined;
  /** Usage was asked for on the client's behalf: the chunk that carries it is taken out of the stream again. */
  readonly dropUsage: boolean;
}

/** Who looks on: sees the status, then the upstream's bytes before anything is taken out of them. */
export interface Onlooker {
  upstream(status: number): void;
  observe(chunk: Uint8Array): void;
}

/** How it ended. Nothing has been sent to the client where the upstream failed before its answer. */
export type Forwarded =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "client-left" }
  | {
      readonly kind: "failed";
      readonly why: "unreachable" | "timeout" | "redirect" | "unauthorized" | "broke-off";
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
  }: {
    readonly response: Response;
    readonly dispatcher: Dispatcher;
    readonly timeoutMs: number;
    readonly onlooker?: Onlooker | undefined;
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
    const status = answer.statusCode;
    // A client would take a 401 for its own key's, and log out; and its text often quotes a part of the owner's key.
    const why = status === 401 ? "unauthorized" : status >= 300 && status < 400 ? "redirect" : undefined;
    if (why !== undefined) {
      // Nobody reads it, so nobody else would hear of its abortion.
      answer.body.on("error", () => undefined).destroy();
      return { kind: "failed", why };
    }
    onlooker?.upstream(status);
    const isStream = /^text\/event-stream\b/iu.test(String(answer.headers["content-type"] ?? ""));
    const filter = outgoing.dropUsage && isStream ? dropUsageChunk() : undefined;
    response.status(status);
    response.setHeaders(
      passThroughHeaders({ headers: answer.headers, status, rewritten: filter !== undefined }),
    );
    // The head of a stream may come long before its first event; where they came together they leave together.
    if (isStream && answer.body.readableLength === 0) response.flushHeaders();
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      onlooker?.observe(chunk);
      await write(response, filter === undefined ? chunk : filter.push(chunk));
    }
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
