import type { IncomingMessage } from "node:http";
import { familyPrefix, isFamilyName, type FamilyName } from "./families/familyName.js";

/** A request as far as the simulator cares. */
export interface ReceivedRequest {
  readonly method: string;
  /** Whom it asks: `/as/codex/…` a Codex; without such a beginning whatever its dialect shows. */
  readonly family: FamilyName | "by-dialect";
  /** As OpenAI or Anthropic would call it (`/v1/chat/completions`), whatever base the provider puts before it. */
  readonly path: string;
  /** As it was asked for. */
  readonly fullPath: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function receiveRequest(request: IncomingMessage): ReceivedRequest {
  const url = new URL(request.url ?? "/", "http://simulator");
  return {
    method: request.method ?? "GET",
    ...addressed(url.pathname),
    fullPath: url.pathname,
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

/** The credential a request is booked on: the bearer token (or a bare one), the providers' key headers, or `"none"`. */
export function credentialOf(headers: Readonly<Record<string, string>>): string {
  const bearer = /^(?:Bearer )?(\S+)$/iu.exec(headers["authorization"] ?? "")?.[1];
  return bearer ?? headers["x-api-key"] ?? headers["api-key"] ?? headers["x-goog-api-key"] ?? "none";
}

function addressed(full: string): Pick<ReceivedRequest, "family" | "path"> {
  const [family = "", ...rest] = full.startsWith(familyPrefix)
    ? full.slice(familyPrefix.length).split("/")
    : [];
  if (!isFamilyName(family)) return { family: "by-dialect", path: full };
  const path = `/${rest.join("/")}`;
  const route = routes.find((each) => path.endsWith(each));
  return { family, path: route === undefined ? path : `/v1${route}` };
}

const routes = [
  "/chat/completions",
  "/responses",
  "/embeddings",
  "/messages",
  "/messages/count_tokens",
  "/models",
] as const;

function joinedHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

const largestBody = 64 * 1024 * 1024;
