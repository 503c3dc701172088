import { isRecord, type Members } from "../isRecord.js";
import type { Findings } from "./findings.js";
import { readMoment } from "./readMoment.js";
import { sortHeaders } from "./sortHeaders.js";
import { reported } from "./reported.js";
import { usedPart } from "./usedPart.js";

/**
 * OpenRouter's limit of requests: `X-RateLimit-Limit`, `-Remaining` and `-Reset`, which is an epoch in milliseconds. A refusal has
 * them in `error.metadata.headers` of its body, and names the window in its message.
 */
export function readOpenRouterHeaders(headers: ReadonlyMap<string, string>, findings: Findings): void {
  addRequests(headers, { window: null, scope: undefined, path: "" }, findings);
}

/** The limit that an OpenRouter refusal carries in its body; that of free models (`free-models-per-day`) is not the account's. */
export function readOpenRouterRefusal(error: Members, findings: Findings): void {
  const { message, metadata } = error;
  const spent = typeof message === "string" ? freeLimitIn(message.slice(0, LONGEST_MESSAGE)) : undefined;
  const headers = isRecord(metadata) ? sortHeaders(metadata["headers"], findings).rateLimit : undefined;
  const about = { window: spent ?? null, scope: spent && "free-models", path: "error.metadata.headers." };
  if (headers !== undefined && addRequests(headers, about, findings)) return;
  if (spent !== undefined)
    findings.add({
      unit: "requests",
      window: spent,
      utilization: 1,
      scope: about.scope,
      source: "error.message",
      refused: true,
    });
}

const LONGEST_MESSAGE = 500;

/** The window of the free models' limit that a refusal names. */
function freeLimitIn(message: string): string | undefined {
  if (message.includes("free-models-per-day")) return "daily";
  return message.includes("free-models-per-min") ? "1m" : undefined;
}

/**
 * OpenRouter's key endpoint: `limit` in dollars (null: none), `limit_remaining`, and how often the limit starts anew
 * (`limit_reset`, null: never). `usage` is what the key has ever spent, so it tells something of the limit only if that never resets.
 */
export function readOpenRouterKey(body: Members, findings: Findings): void {
  const data = isRecord(body["data"]) ? body["data"] : body;
  const reset = data["limit_reset"];
  const window = reset === "daily" || reset === "weekly" || reset === "monthly" ? reset : null;
  const used = window === null ? "usage" : `usage_${window}`;
  const remaining = data["limit_remaining"];
  const said = remaining === undefined || remaining === null;
  const part = usedPart(
    { limit: data["limit"], used: said ? data[used] : undefined, remaining },
    { limit: "data.limit", used: `data.${used}`, remaining: "data.limit_remaining" },
    findings,
  );
  if (part === undefined) return;
  const { utilization, limit } = part;
  const source = said ? `data.${used}` : "data.limit_remaining";
  findings.add({ unit: "usd", window, utilization, limit, remaining: part.remaining, source });
}

function addRequests(
  headers: ReadonlyMap<string, string>,
  {
    window,
    scope,
    path,
  }: { readonly window: string | null; readonly scope: string | undefined; readonly path: string },
  findings: Findings,
): boolean {
  const limitName = "x-ratelimit-limit";
  const remainingName = "x-ratelimit-remaining";
  const resetName = "x-ratelimit-reset";
  const part = usedPart(
    { limit: reported(headers.get(limitName)), remaining: reported(headers.get(remainingName)) },
    { limit: path + limitName, remaining: path + remainingName },
    findings,
  );
  if (part === undefined) return false;
  const at = readMoment(reported(headers.get(resetName)), path + resetName, { findings });
  findings.add({
    unit: "requests",
    window,
    utilization: part.utilization,
    limit: part.limit,
    remaining: part.remaining,
    reset: { at, source: path + resetName },
    scope,
    source: path + remainingName,
  });
  return true;
}
