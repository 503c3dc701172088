import { headerMap, headerText, type HeaderMap, type HeadersInput } from "./headers.js";
import { hopByHop } from "./hopByHop.js";
import { LONGEST_PATIENT_WAIT_MS } from "./retryAdvice.js";

/**
 * The client's headers as the upstream gets them: all but credentials and cookies, what names somebody else's account, what is for this hop or
 * for this gateway alone, and `host`, `content-length` and `expect`, which belong to the new request. `accept-encoding` becomes
 * `identity`: a meter reads the bytes as they pass.
 */
export function forwardHeaders(clientHeaders: HeadersInput): HeaderMap {
  const headers = headerMap(clientHeaders);
  const isHopByHop = hopByHop(headers);
  for (const name of headers.keys())
    if (
      isHopByHop(name) ||
      NOT_FORWARDED.has(name) ||
      name.startsWith("proxy-") ||
      name.startsWith("x-quota-")
    )
      headers.delete(name);
  headers.set("accept-encoding", "identity");
  return headers;
}

/**
 * The upstream's headers as the client gets them: all but the provider's rate headers, which tell of the owner's account, and everything
 * that names that account; cookies; what is for this hop, for the upstream's own origin (`alt-svc`, `strict-transport-security`,
 * CORS) or ours to say (`ratelimit`, `x-quota-*`).
 *
 * The upstream's own `retry-after` stays on an error of its own; above a minute it gets `x-should-retry: false` beside it, if the upstream
 * gave no advice, since the official SDKs would sleep through it. `content-length` stays true only while the bytes are the upstream's:
 * set `rewritten` where they are decoded or changed on the way, and it goes, with the encoding, the digests and the `etag`.
 *
 * `own` is what stands in the place of the provider's rate headers: {@link ownRateHeaders} of the families that the answer carries.
 */
export function passThroughHeaders({
  headers: upstreamHeaders,
  status,
  rewritten = false,
  own,
}: {
  readonly headers: HeadersInput;
  readonly status: number;
  readonly rewritten?: boolean;
  readonly own?: ReadonlyMap<string, string> | undefined;
}): HeaderMap {
  const headers = headerMap(upstreamHeaders);
  const isHopByHop = hopByHop(headers);
  for (const name of headers.keys())
    if (
      isHopByHop(name) ||
      NOT_PASSED.has(name) ||
      NOT_PASSED_FAMILIES.test(name) ||
      CODEX_LIMIT.test(name) ||
      ACCOUNT.test(name) ||
      MEANS.test(name) ||
      (rewritten && OF_THE_BYTES.has(name)) ||
      (status < 400 && RETRY_ADVICE.has(name))
    )
      headers.delete(name);
  if (isLongWait(headers) && !headers.has("x-should-retry")) headers.set("x-should-retry", "false");
  for (const [name, value] of own ?? []) headers.set(name, value);
  return headers;
}

function isLongWait(headers: HeaderMap): boolean {
  const ms = Number(headerText(headers, "retry-after-ms") ?? NaN);
  const seconds = Number(headerText(headers, "retry-after") ?? NaN);
  return Math.max(ms || 0, (seconds || 0) * 1000) > LONGEST_PATIENT_WAIT_MS;
}

const NOT_FORWARDED: ReadonlySet<string> = new Set([
  // Credentials, the client's own or for this gateway.
  ...["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-auth-token", "x-amz-security-token"],
  ...["cookie", "cookie2"],
  // Whose account pays is the connection's business; another's id makes the provider refuse its key.
  ...[
    "openai-organization",
    "openai-project",
    "anthropic-organization-id",
    "anthropic-workspace-id",
    "chatgpt-account-id",
  ],
  // Of the request that ends here.
  ...["host", "content-length", "expect", "accept-encoding"],
]);

const NOT_PASSED: ReadonlySet<string> = new Set([
  ...["set-cookie", "set-cookie2", "clear-site-data", "www-authenticate"],
  ...["alt-svc", "strict-transport-security", "public-key-pins", "nel", "report-to", "reporting-endpoints"],
  ...["ratelimit", "ratelimit-policy", "quota-status"],
]);

const NOT_PASSED_FAMILIES =
  /^(?:x-codex-|anthropic-ratelimit-|x-ratelimit-|x-rate-limit-|ratelimit-|access-control-|proxy-|x-quota-|x-litellm-|llm_provider-)/;

/** Codex gives every limit of an account a family of its own, `x-<limit>-primary-used-percent`, and names the one that counts. */
const CODEX_LIMIT =
  /^x-.*-(?:limit-name|(?:primary|secondary)-(?:used-percent|window-minutes|reset-at|reset-after-seconds))$/;

/** `openai-organization`, `anthropic-workspace-id`, `msh-uid`, `x-account-name` and their like. */
const ACCOUNT =
  /(?:^|[-_])(?:account|customer|gid|group|org|organization|organisation|project|team|tenant|uid|user|workspace)(?:[-_](?:id|uuid|name|email))?$/;

/** What the account has, and what is left of it, by whatever name: `x-credits-remaining`, `x-plan-type`. The tier of a service is a request's. */
const MEANS =
  /(?:^|[-_])(?:balance|billing|budget|credits?|limits?|overage|owner|plan|quota|remaining|spend|subscription|(?<!service[-_])tier)(?:[-_]|$)/;

const OF_THE_BYTES: ReadonlySet<string> = new Set([
  ...["content-length", "content-encoding", "content-md5", "content-digest", "repr-digest", "digest", "etag"],
  "accept-ranges",
]);

const RETRY_ADVICE: ReadonlySet<string> = new Set(["retry-after", "retry-after-ms", "x-should-retry"]);
