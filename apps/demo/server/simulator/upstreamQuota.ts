import type { UpstreamQuota } from "./simulatorOptions.js";

/** How one upstream credential stands in its window. */
export interface Standing {
  readonly allowed: boolean;
  readonly windowMs: number;
  readonly resetsAt: number;
  readonly requests: { readonly used: number; readonly limit: number };
  readonly tokens: { readonly used: number; readonly limit: number };
}

export interface QuotaKeeper {
  /** Decides one request and, if it passes, counts it with its input tokens in the same step. */
  admit(
    request: { readonly credential: string; readonly inputTokens: number; readonly quota: Quota },
    now: number,
  ): Standing;
  /** Output tokens are counted as they are written: the last answer of a window may pass the limit, the next request may not. */
  spend(credential: string, tokens: number): void;
  look(credential: string, quota: Quota, now: number): Standing;
  credentials(): readonly string[];
}

type Quota = UpstreamQuota | "unlimited";

/** The provider's own books: a window per credential, opened by its first request. */
export function keepQuota(): QuotaKeeper {
  const windows = new Map<string, Window>();

  const open = (credential: string, quota: Quota, now: number): Window => {
    const current = windows.get(credential);
    if (current !== undefined && now < current.openedAt + limitsOf(quota).windowMs) return current;
    const fresh = { openedAt: now, requests: 0, tokens: 0 };
    windows.set(credential, fresh);
    return fresh;
  };

  return {
    admit({ credential, inputTokens, quota }, now) {
      const window = open(credential, quota, now);
      if (quota !== "unlimited" && passes(window, inputTokens, quota)) {
        return standingOf(window, quota, false);
      }
      window.requests += 1;
      window.tokens += inputTokens;
      return standingOf(window, quota, true);
    },
    spend(credential, tokens) {
      const window = windows.get(credential);
      if (window !== undefined) window.tokens += tokens;
    },
    look: (credential, quota, now) => standingOf(open(credential, quota, now), quota, true),
    credentials: () => [...windows.keys()],
  };
}

interface Window {
  readonly openedAt: number;
  requests: number;
  tokens: number;
}

function passes(window: Window, inputTokens: number, { unit, limit }: UpstreamQuota): boolean {
  if (unit === "requests") return window.requests + 1 > limit;
  return window.tokens >= limit || window.tokens + inputTokens > limit;
}

function standingOf(window: Window, quota: Quota, allowed: boolean): Standing {
  const { windowMs, requests, tokens } = limitsOf(quota);
  return {
    allowed,
    windowMs,
    resetsAt: window.openedAt + windowMs,
    requests: { used: window.requests, limit: requests },
    tokens: { used: window.tokens, limit: tokens },
  };
}

/** What the headers announce where nothing is enforced: plenty, per minute. */
function limitsOf(quota: Quota): {
  readonly windowMs: number;
  readonly requests: number;
  readonly tokens: number;
} {
  const plenty = { windowMs: 60_000, requests: 10_000, tokens: 2_000_000 };
  return quota === "unlimited" ? plenty : { ...plenty, windowMs: quota.windowMs, [quota.unit]: quota.limit };
}
