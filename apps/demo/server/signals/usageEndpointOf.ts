import type { UpstreamAuth } from "../upstreamAuth.js";

/** Where a provider says how full the windows of an account are. */
export interface UsageEndpoint {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Beside the connection's own; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The secret goes into `authorization` as it is, without `Bearer`. */
  readonly bareSecret?: boolean;
  /** How long to leave it alone after an answer. Absent: as long as readings are fresh. */
  readonly pauseMs?: number;
}

/**
 * The usage endpoint of a connection; undefined where its provider has none, or none for this kind of credential. It is asked at
 * the connection's own host, so that whatever stands in for the provider there stands in for this, too. (Bailian alone keeps it elsewhere.)
 *
 * None of these addresses is promised by its provider but OpenRouter's, GLM's and MiniMax's; they are what the providers' own tools ask.
 */
export function usageEndpointOf({
  provider,
  baseUrl,
  auth,
}: {
  readonly provider: string;
  /** As the connection's clients take it: no query, no credentials. */
  readonly baseUrl: string;
  readonly auth: UpstreamAuth;
}): UsageEndpoint | undefined {
  const { origin, hostname, pathname } = new URL(baseUrl);
  const base = { origin, hostname, path: pathname.replace(/\/+$/u, "") };
  return endpoints.get(provider)?.(base, auth);
}

interface Base {
  readonly origin: string;
  readonly hostname: string;
  /** Without a slash at its end. */
  readonly path: string;
}

const endpoints: ReadonlyMap<string, (base: Base, auth: UpstreamAuth) => UsageEndpoint | undefined> = new Map(
  Object.entries({
    codex: codexUsage,
    anthropic: claudeUsage,
    kimi: kimiUsages,
    glm: glmLimits,
    minimax: minimaxRemains,
    bailian: bailianPlan,
    alibaba: bailianPlan,
    openrouter: openRouterKey,
  }),
);

/** `https://chatgpt.com/backend-api/codex` → `https://chatgpt.com/backend-api/wham/usage`. Codex itself knows the other path for hosts of another kind. */
function codexUsage({ origin, hostname, path }: Base): UsageEndpoint | undefined {
  if (hostname === "api.openai.com") return undefined;
  const [backend] = /^.*\/backend-api(?=\/|$)/u.exec(path) ?? [];
  return get(
    backend === undefined
      ? `${origin}${without(path, "/v1")}/api/codex/usage`
      : `${origin}${backend}/wham/usage`,
  );
}

/** For the token of a subscription, which is a bearer's; an API key has limits per minute, and headers that tell of them. */
function claudeUsage({ origin, path }: Base, auth: UpstreamAuth): UsageEndpoint | undefined {
  if (auth.kind === "none" || auth.header?.toLowerCase() !== "authorization") return undefined;
  return {
    ...get(`${origin}${without(path, "/v1")}/api/oauth/usage`),
    headers: { "anthropic-beta": "oauth-2025-04-20" },
    // Whoever asks more often is refused for hours.
    pauseMs: 300_000,
  };
}

/** The coding plan's. The open platform (`api.moonshot.cn`) has no windows but per minute. */
function kimiUsages({ origin, hostname, path }: Base): UsageEndpoint | undefined {
  if (/(?:^|\.)moonshot\.(?:cn|ai)$/u.test(hostname)) return undefined;
  return get(`${origin}${without(path, "/coding/v1", "/coding", "/v1")}/coding/v1/usages`);
}

function glmLimits({ origin, path }: Base): UsageEndpoint {
  const before = without(path, "/api/coding/paas/v4", "/api/paas/v4", "/api/anthropic", "/v1");
  return { ...get(`${origin}${before}/api/monitor/usage/quota/limit`), bareSecret: true };
}

function minimaxRemains({ origin, path }: Base): UsageEndpoint {
  return get(
    `${origin}${without(path, "/anthropic/v1", "/anthropic", "/v1")}/v1/api/openplatform/coding_plan/remains`,
  );
}

/**
 * The console's, which may ask for a login that no API key is: then there is no reading. A plan's key belongs to one region, so it is shown to
 * that region's console alone.
 */
function bailianPlan({ origin, hostname, path }: Base): UsageEndpoint | undefined {
  const console = BAILIAN_CONSOLES.get(hostname);
  if (console === undefined && hostname.endsWith(".aliyuncs.com")) return undefined;
  const at = console?.origin ?? origin + without(path, "/apps/anthropic", "/compatible-mode/v1", "/v1");
  return {
    method: "POST",
    url: `${at}/data/api.json?action=zeldaEasy.broadscope-bailian.codingPlan.queryCodingPlanInstanceInfoV2&product=broadscope-bailian&api=queryCodingPlanInstanceInfoV2`,
    headers: {
      "content-type": "application/json",
      ...(console !== undefined && { origin: console.origin, referer: `${console.origin}/` }),
    },
    body: JSON.stringify({
      queryCodingPlanInstanceInfoRequest: {
        commodityCode: console?.commodity ?? "sfm_codingplan_public_intl",
      },
    }),
  };
}

const BAILIAN_CONSOLES = new Map([
  [
    "coding-intl.dashscope.aliyuncs.com",
    {
      origin: "https://modelstudio.console.alibabacloud.com",
      commodity: "sfm_codingplan_public_intl",
    },
  ],
  [
    "coding.dashscope.aliyuncs.com",
    { origin: "https://bailian.console.aliyun.com", commodity: "sfm_codingplan_public_cn" },
  ],
]);

/** `https://openrouter.ai/api/v1` → `https://openrouter.ai/api/v1/key`. */
function openRouterKey({ origin, path }: Base): UsageEndpoint {
  return get(`${origin}${without(path, "/v1")}/v1/key`);
}

function get(url: string): UsageEndpoint {
  return { method: "GET", url };
}

/** A path without the first of these ends that it has. */
function without(path: string, ...ends: readonly string[]): string {
  const end = ends.find((each) => path.endsWith(each));
  return end === undefined ? path : path.slice(0, -end.length);
}
