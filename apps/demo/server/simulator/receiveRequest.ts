import type { IncomingMessage } from "node:http";

/** A request as far as the simulator cares. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function receiveRequest(request: IncomingMessage): ReceivedRequest {
  const url = new URL(request.url ?? "/", "http://simulator");
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.search,
    headers: joinedHeaders(request),
  };
}

/** The whole body, or that the client left (or the body is too large) before it was whole. */
export function readBody(request: IncomingMessage): Promise<Buffer | "gone" | "too-large"> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= largestBody) chunks.push(chunk);
    });
    request.on("end", () => resolve(size > largestBody ? "too-large" : Buffer.concat(chunks)));
    request.on("close", () => resolve("gone"));
    request.on("error", () => resolve("gone"));
  });
}

/** The account a request is booked on: the bearer token or `x-api-key`, or `"none"`. */
export function credentialOf(headers: Readonly<Record<string, string>>): string {
  const bearer = /^Bearer (.+)$/iu.exec(headers["authorization"] ?? "")?.[1];
  return bearer ?? headers["x-api-key"] ?? "none";
}

function joinedHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

const largestBody = 64 * 1024 * 1024;
