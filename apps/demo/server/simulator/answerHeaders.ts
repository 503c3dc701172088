import type { AccountRefusal, AccountView } from "./accountView.js";
import { familyNamed } from "./families/familyNamed.js";
import type { FamilyName } from "./families/familyName.js";
import type { ErrorDialect } from "./providerError.js";
import type { ReceivedRequest } from "./receiveRequest.js";
import type { SimulatorOptions } from "./simulatorOptions.js";
import { usageEndpointOf } from "./usageEndpoint.js";

/**
 * What stands on every answer: a request id, the account owner's name (a gateway must not show it to its users), a cookie as
 * the providers' proxies set it, the provider's time, the limits in the wanted family, and last what the option `extraHeaders`
 * lays over them.
 */
export function answerHeaders({
  request,
  options,
  serial,
  status,
  view,
  refusal,
}: {
  readonly request: ReceivedRequest;
  readonly options: SimulatorOptions;
  readonly serial: string;
  readonly status: number;
  readonly view: AccountView;
  readonly refusal: AccountRefusal | undefined;
}): Readonly<Record<string, string>> {
  const about =
    dialectOf(request, options) === "anthropic"
      ? { "request-id": `req_sim${serial}`, "anthropic-organization-id": "simulated-owner" }
      : {
          "x-request-id": `req_sim${serial}`,
          "openai-organization": "simulated-owner",
          "openai-version": "2020-10-01",
        };
  const family = headerFamilyOf(request, options);
  // Who is not let in learns nothing of the account, and a usage endpoint says it in its body.
  const isSilent =
    family === "none" || status === 401 || status === 403 || usageEndpointOf(request) !== undefined;
  const limits = isSilent ? {} : familyNamed(family).headers(view, refusal);
  return {
    ...about,
    date: new Date(view.now).toUTCString(),
    "set-cookie": "__cf_bm=simulated; path=/; HttpOnly",
    ...(options.headerCase === "pascal" ? pascalCase(limits) : limits),
    ...options.extraHeaders,
  };
}

/** By the family that is asked, else by path, else by what the client shows. */
export function dialectOf(
  { family, path, headers }: ReceivedRequest,
  options: SimulatorOptions,
): ErrorDialect {
  if (family === "codex") return "codex";
  if (path.startsWith("/v1/messages") || family.startsWith("anthropic")) return "anthropic";
  if (path === "/v1/responses" && family === "by-dialect") {
    const isCodex =
      options.rateLimitHeaders === "codex" || headers["originator"]?.startsWith("codex") === true;
    return isCodex ? "codex" : "openai";
  }
  return openaiPaths.has(path) || headers["anthropic-version"] === undefined ? "openai" : "anthropic";
}

/** Whose words a refusal has. */
export function refusingFamilyOf(request: ReceivedRequest, options: SimulatorOptions): FamilyName {
  if (request.family !== "by-dialect") return request.family;
  const dialect = dialectOf(request, options);
  return dialect === "anthropic" ? "anthropic-api" : dialect;
}

function headerFamilyOf(request: ReceivedRequest, options: SimulatorOptions): FamilyName | "none" {
  const { rateLimitHeaders } = options;
  if (request.family !== "by-dialect" || rateLimitHeaders === "by-dialect")
    return refusingFamilyOf(request, options);
  return rateLimitHeaders;
}

function pascalCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(^|-)[a-z]/gu, (start) => start.toUpperCase()),
      value,
    ]),
  );
}

const openaiPaths: ReadonlySet<string> = new Set(["/v1/chat/completions", "/v1/embeddings", "/v1/responses"]);
