import type { Findings } from "./findings.js";
import { addCodexWindow } from "./codexWindow.js";
import { readNumber } from "./readNumber.js";
import { textIn } from "./textIn.js";

const ACCOUNT = "x-codex";
const PRIMARY = "-primary-used-percent";
const SECONDARY = "-secondary-used-percent";

/**
 * Codex: `x-codex-primary-*` and `x-codex-secondary-*` for the account, `x-codex-<limit>-primary-*` for limits of a model or
 * a feature of its own. Windows are named by their length in minutes, never by their position; use is in percent, 1 is 1 %.
 * `reset-at` is an epoch in seconds, `reset-after-seconds` counts from the answer.
 */
export function readCodexHeaders(headers: ReadonlyMap<string, string>, findings: Findings): void {
  readSlot(headers, { prefix: "x-codex-primary-", scope: undefined }, findings);
  readSlot(headers, { prefix: "x-codex-secondary-", scope: undefined }, findings);
  for (const limit of otherLimits(headers)) {
    const prefix = `${ACCOUNT}-${limit}`;
    const scope = textIn(headers.get(`${prefix}-limit-name`)) ?? limit;
    for (const slot of ["primary", "secondary"])
      readSlot(headers, { prefix: `${prefix}-${slot}-`, scope }, findings);
  }
}

/** The names of the limits that are not the account's, in alphabetical order: `Headers` sorts, records do not. */
function otherLimits(headers: ReadonlyMap<string, string>): readonly string[] {
  let others: Set<string> | undefined;
  for (const name of headers.keys()) {
    if (!name.endsWith("-used-percent")) continue;
    const suffix = name.endsWith(PRIMARY) ? PRIMARY : name.endsWith(SECONDARY) ? SECONDARY : undefined;
    if (suffix === undefined) continue;
    const prefixEnd = name.length - suffix.length;
    if (prefixEnd > ACCOUNT.length) (others ??= new Set()).add(name.slice(ACCOUNT.length + 1, prefixEnd));
  }
  return others === undefined ? NONE : [...others].sort().slice(0, MOST_LIMITS);
}

const NONE: readonly string[] = [];
/** No account has more. */
const MOST_LIMITS = 50;

function readSlot(
  headers: ReadonlyMap<string, string>,
  { prefix, scope }: { readonly prefix: string; readonly scope: string | undefined },
  findings: Findings,
): void {
  const source = `${prefix}used-percent`;
  const used = headers.get(source);
  if (used === undefined) return;
  const lengthField = `${prefix}window-minutes`;
  const minutes = readNumber(headers.get(lengthField), lengthField, findings);
  addCodexWindow(
    {
      used,
      source,
      lengthMs: minutes === undefined ? undefined : minutes * 60_000,
      resetAt: headers.get(`${prefix}reset-at`),
      resetAtField: `${prefix}reset-at`,
      resetAfter: headers.get(`${prefix}reset-after-seconds`),
      resetAfterField: `${prefix}reset-after-seconds`,
      scope,
    },
    findings,
  );
}
