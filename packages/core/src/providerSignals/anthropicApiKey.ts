import type { EpochMs } from "../units.js";
import type { Findings } from "./findings.js";
import { readMoment } from "./readMoment.js";
import { usedPart, type UsedPart } from "./usedPart.js";

const PREFIX = "anthropic-ratelimit-";

interface Limit extends UsedPart {
  readonly resetsAt: EpochMs | undefined;
  readonly name: string;
}

/**
 * Anthropic's API keys: limits of requests, of input tokens, of output tokens and of both, each with `-limit`, `-remaining`
 * and `-reset` (RFC 3339: when it is full again). Of the three in tokens the tightest counts, with its reset. They name no window.
 */
export function readAnthropicApiKey(headers: ReadonlyMap<string, string>, findings: Findings): void {
  let tightest: Limit | undefined;
  for (const kind of ["tokens", "input-tokens", "output-tokens"]) {
    const limit = limitOf(headers, kind, findings);
    if (limit !== undefined && (tightest === undefined || isTighter(limit, tightest))) tightest = limit;
  }
  if (tightest !== undefined) addLimit("tokens", tightest, findings);
  const requests = limitOf(headers, "requests", findings);
  if (requests !== undefined) addLimit("requests", requests, findings);
}

function limitOf(headers: ReadonlyMap<string, string>, kind: string, findings: Findings): Limit | undefined {
  const name = `${PREFIX}${kind}`;
  const limit = headers.get(`${name}-limit`);
  if (limit === undefined) return undefined;
  const part = usedPart(
    { limit, remaining: headers.get(`${name}-remaining`) },
    { limit: `${name}-limit`, remaining: `${name}-remaining` },
    findings,
  );
  if (part === undefined) return undefined;
  // A limit of which nothing is used has no reset to wait for: what stands there is the moment of the answer.
  const resetsAt =
    part.utilization === 0
      ? undefined
      : readMoment(headers.get(`${name}-reset`), `${name}-reset`, { findings });
  const { utilization, remaining } = part;
  return { utilization, limit: part.limit, remaining, resetsAt, name };
}

function isTighter(one: Limit, other: Limit): boolean {
  if (one.utilization !== other.utilization) return one.utilization > other.utilization;
  return (one.resetsAt ?? 0) > (other.resetsAt ?? 0);
}

function addLimit(unit: "tokens" | "requests", found: Limit, findings: Findings): void {
  const { utilization, limit, remaining, resetsAt, name } = found;
  findings.add({
    unit,
    window: null,
    utilization,
    limit,
    remaining,
    reset: { at: resetsAt, source: `${name}-reset` },
    source: `${name}-remaining`,
  });
}
