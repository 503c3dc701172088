import type { EpochMs } from "../units.js";
import { anthropicWindow, headerNameOf, type AnthropicWindow } from "./anthropicWindow.js";
import type { Findings } from "./findings.js";
import { readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import type { SortedHeaders } from "./sortHeaders.js";

/** A window, and the names of its fields. */
interface Fields extends AnthropicWindow {
  readonly name: string;
  readonly utilization: string;
  readonly reset: string;
  readonly status: string;
}

const PREFIX = "anthropic-ratelimit-unified-";
const STATUS = `${PREFIX}status`;
const RESET = `${PREFIX}reset`;
const CLAIM = `${PREFIX}representative-claim`;
const FIVE_HOURS = fieldsOf("5h");
const SEVEN_DAYS = fieldsOf("7d");
const NONE: ReadonlyMap<string, string> = new Map();
/** No account has more windows of its own. */
const MOST_WINDOWS = 50;

/**
 * Anthropic's subscriptions: `anthropic-ratelimit-unified-<window>-utilization` is a *fraction* (1 is 100 %), `-reset` RFC 3339 or
 * an epoch in seconds. `5h` and `7d` are the account's; others (`7d_opus`, `overage`) keep their name, with what they are for as
 * scope. On a 429 the windows whose own status is `rejected` are full, and the one that `representative-claim` names if all in all the
 * answer is `rejected`.
 */
export function readAnthropicUnified({ unified, unifiedOther }: SortedHeaders, findings: Findings): void {
  const general = unified ?? NONE;
  const claim = findings.status === 429 ? claimOf(general) : undefined;
  const until = claim === undefined ? undefined : general.get(RESET);
  readWindow(general, FIVE_HOURS, { claim, until }, findings);
  readWindow(general, SEVEN_DAYS, { claim, until }, findings);
  const others = unifiedOther ?? NONE;
  if (others.size === 0 && (claim === undefined || claim === "5h" || claim === "7d")) return;
  for (const name of otherWindows(others, claim))
    readWindow(others, fieldsOf(name), { claim, until }, findings);
}

function fieldsOf(name: string): Fields {
  const { window, lengthMs, scope } = anthropicWindow(name);
  return {
    name,
    window,
    lengthMs,
    scope,
    utilization: `${PREFIX}${name}-utilization`,
    reset: `${PREFIX}${name}-reset`,
    status: `${PREFIX}${name}-status`,
  };
}

/** The window that a refusal names. */
function claimOf(headers: ReadonlyMap<string, string>): string | undefined {
  if (headers.get(STATUS)?.toLowerCase() !== "rejected") return undefined;
  const claim = headers.get(CLAIM)?.toLowerCase() ?? "";
  return claim === "" || claim.length > 60 ? undefined : headerNameOf(claim);
}

/** The windows besides the account's, in alphabetical order: `Headers` sorts, records do not. */
function otherWindows(headers: ReadonlyMap<string, string>, claim: string | undefined): readonly string[] {
  const others = new Set<string>();
  for (const name of headers.keys())
    if (name.endsWith("-utilization") || name.endsWith("-status"))
      others.add(name.slice(PREFIX.length, name.lastIndexOf("-")));
  if (claim !== undefined && claim !== "5h" && claim !== "7d") others.add(claim);
  return [...others].sort().slice(0, MOST_WINDOWS);
}

function readWindow(
  headers: ReadonlyMap<string, string>,
  fields: Fields,
  refusal: { readonly claim: string | undefined; readonly until: string | undefined },
  findings: Findings,
): void {
  const used = readNumber(headers.get(fields.utilization), fields.utilization, findings);
  const named = fields.name === refusal.claim;
  const refused = named || (findings.status === 429 && isRejected(headers, fields, used));
  if (used === undefined && !refused) return;
  let at: EpochMs | undefined = readMoment(headers.get(fields.reset), fields.reset, { findings });
  if (at === undefined && named) at = readMoment(refusal.until, RESET, { findings });
  findings.add({
    unit: "percent",
    window: fields.window,
    lengthMs: fields.lengthMs,
    utilization: refused ? Math.max(1, used ?? 1) : used!,
    reset: { at, source: fields.reset },
    scope: fields.scope,
    source: used !== undefined ? fields.utilization : named ? CLAIM : fields.status,
    refused,
  });
}

/** Whether a window's own status says that it is full. An overage that is merely not allowed has no use of its own. */
function isRejected(headers: ReadonlyMap<string, string>, fields: Fields, used: number | undefined): boolean {
  if (fields.name === "overage" && used === undefined) return false;
  return headers.get(fields.status)?.toLowerCase() === "rejected";
}
