import type { Dialect } from "./route.js";

/** What is wrong with the address of an upstream, as the rest of a sentence; undefined when nothing is. Never repeats the address. */
export function baseUrlProblem(written: string): string | undefined {
  if (!URL.canParse(written)) return "must be an address such as https://api.example.com/v1.";
  const url = new URL(written);
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https:// or http://.";
  if (url.username !== "" || url.password !== "")
    return "must not hold credentials; give them as the connection's auth.";
  if (url.search !== "" || url.hash !== "") return "must not have a query or a fragment.";
  return undefined;
}

/**
 * Where a request goes. The base is written as the official clients take it: OpenAI's ends where `/chat/completions` begins
 * (`https://api.openai.com/v1`; one without a path gets `/v1`), Anthropic's where `/v1/messages` begins (a final `/v1` is left out).
 */
export function upstreamUrl({
  baseUrl,
  dialect,
  path,
  query,
}: {
  readonly baseUrl: string;
  readonly dialect: Dialect;
  /** Of the gateway, such as `/v1/messages`. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
}): string {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/u, "");
  const joined =
    dialect === "anthropic"
      ? base.replace(/\/v1$/u, "") + path
      : base === ""
        ? path
        : base + path.replace(/^\/v1/u, "");
  return `${url.origin}${joined}${query}`;
}
