import type { ErrorDialect } from "./providerError.js";
import { rateLimitHeaders, type HeaderFamily } from "./rateLimitHeaders.js";
import type { ReceivedRequest } from "./receiveRequest.js";
import type { SimulatorOptions } from "./simulatorOptions.js";
import type { Standing } from "./upstreamQuota.js";

/**
 * What stands on every answer: a request id, the account owner's name (a gateway must not show it to its users), a cookie as
 * the providers' proxies set it, the limits in the wanted family, and last what the option `extraHeaders` lays over them.
 */
export function answerHeaders(
  wish: {
    readonly request: ReceivedRequest;
    readonly options: SimulatorOptions;
    readonly serial: string;
    readonly standing: Standing;
  },
  now: number,
): Readonly<Record<string, string>> {
  const { request, options, serial, standing } = wish;
  const dialect = dialectOf(request, options);
  const about =
    dialect === "anthropic"
      ? { "request-id": `req_sim${serial}`, "anthropic-organization-id": "simulated-owner" }
      : {
          "x-request-id": `req_sim${serial}`,
          "openai-organization": "simulated-owner",
          "openai-version": "2020-10-01",
        };
  const limits = rateLimitHeaders(familyOf(dialect, options), standing, now);
  return {
    ...about,
    "set-cookie": "__cf_bm=simulated; path=/; HttpOnly",
    ...(options.headerCase === "pascal" ? pascalCase(limits) : limits),
    ...options.extraHeaders,
  };
}

/** By path; elsewhere by what the client shows. */
export function dialectOf({ path, headers }: ReceivedRequest, options: SimulatorOptions): ErrorDialect {
  if (path.startsWith("/v1/messages")) return "anthropic";
  if (path === "/v1/responses") {
    const isCodex =
      options.rateLimitHeaders === "codex" || headers["originator"]?.startsWith("codex") === true;
    return isCodex ? "codex" : "openai";
  }
  return openaiPaths.has(path) || headers["anthropic-version"] === undefined ? "openai" : "anthropic";
}

function familyOf(dialect: ErrorDialect, { rateLimitHeaders: wanted }: SimulatorOptions): HeaderFamily {
  if (wanted !== "by-dialect") return wanted;
  return dialect === "anthropic" ? "anthropic-api" : dialect;
}

function pascalCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(^|-)[a-z]/gu, (start) => start.toUpperCase()),
      value,
    ]),
  );
}

const openaiPaths: ReadonlySet<string> = new Set(["/v1/chat/completions", "/v1/embeddings"]);
