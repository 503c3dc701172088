import type { EpochMs } from "../units.js";
import { anthropicWindow, headerNameOf } from "./anthropicWindow.js";
import type { Findings } from "./findings.js";
import { readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";

const PREFIX = "anthropic-ratelimit-unified-";

/**
 * Anthropic's subscriptions: `anthropic-ratelimit-unified-<window>-utilization` is a *fraction* (1 is 100 %), `-reset` RFC 3339 or
 * an epoch in seconds. `5h` and `7d` are the account's; others (`7d_opus`, `overage`) keep their name, with what they are for as
 * scope. On a 429 the windows whose own status is `rejected` are full, and the one that `representative-claim` names if all in all the
 * answer is `rejected`.
 */
export function readAnthropicUnified(headers: ReadonlyMap<string, string>, findings: Findings): void {
  const refusedWindow = findings.status === 429 ? claimOf(headers) : undefined;
  readWindow(headers, { name: "5h", refusedWindow }, findings);
  readWindow(headers, { name: "7d", refusedWindow }, findings);
  for (const name of otherWindows(headers, refusedWindow))
    readWindow(headers, { name, refusedWindow }, findings);
}

/** The window that a refusal names. */
function claimOf(headers: ReadonlyMap<string, string>): string | undefined {
  if (headers.get(`${PREFIX}status`)?.toLowerCase() !== "rejected") return undefined;
  const claim = headers.get(`${PREFIX}representative-claim`);
  return claim === undefined || claim === "" ? undefined : headerNameOf(claim.toLowerCase());
}

/** The windows besides the account's, in alphabetical order: `Headers` sorts, records do not. */
function otherWindows(
  headers: ReadonlyMap<string, string>,
  refusedWindow: string | undefined,
): readonly string[] {
  let others: Set<string> | undefined;
  for (const name of headers.keys()) {
    if (!name.endsWith("-utilization") && !name.endsWith("-status")) continue;
    const window = name.slice(PREFIX.length, name.lastIndexOf("-"));
    if (window.length > 0 && !isOfAccount(window)) (others ??= new Set()).add(window);
  }
  if (refusedWindow !== undefined && !isOfAccount(refusedWindow)) (others ??= new Set()).add(refusedWindow);
  return others === undefined ? NONE : [...others].sort().slice(0, MOST_WINDOWS);
}

function isOfAccount(name: string): boolean {
  return name === "5h" || name === "7d";
}

const NONE: readonly string[] = [];
/** No account has more. */
const MOST_WINDOWS = 50;

function readWindow(
  headers: ReadonlyMap<string, string>,
  { name, refusedWindow }: { readonly name: string; readonly refusedWindow: string | undefined },
  findings: Findings,
): void {
  const source = `${PREFIX}${name}-utilization`;
  const used = readNumber(headers.get(source), source, findings);
  const refused = name === refusedWindow || (findings.status === 429 && isRejected(headers, name, used));
  if (used === undefined && !refused) return;
  const { window, lengthMs, scope } = anthropicWindow(name);
  const resetField = `${PREFIX}${name}-reset`;
  let at: EpochMs | undefined = readMoment(headers.get(resetField), resetField, { findings });
  if (at === undefined && name === refusedWindow)
    at = readMoment(headers.get(`${PREFIX}reset`), `${PREFIX}reset`, { findings });
  findings.add({
    unit: "percent",
    window,
    lengthMs,
    utilization: refused ? Math.max(1, used ?? 1) : used!,
    reset: at === undefined ? undefined : { at, source: resetField },
    scope,
    source:
      used === undefined
        ? `${PREFIX}${name === refusedWindow ? "representative-claim" : `${name}-status`}`
        : source,
    refused,
  });
}

/** Whether a window's own status says that it is full. An overage that is merely not allowed has no use of its own. */
function isRejected(headers: ReadonlyMap<string, string>, name: string, used: number | undefined): boolean {
  if (name === "overage" && used === undefined) return false;
  return headers.get(`${PREFIX}${name}-status`)?.toLowerCase() === "rejected";
}
