import type { Findings } from "./findings.js";
import { addCodexWindow } from "./codexWindow.js";
import { readNumber } from "./readNumber.js";
import type { SortedHeaders } from "./sortHeaders.js";
import { textIn } from "./textIn.js";

/** The names of the fields of a slot. */
interface Slot {
  readonly used: string;
  readonly minutes: string;
  readonly at: string;
  readonly after: string;
}

const SLOTS = ["primary", "secondary"] as const;
const ACCOUNT = SLOTS.map((slot) => slotOf("x-codex", slot));
/** No account has more limits of its own. */
const MOST_LIMITS = 50;

/**
 * Codex: `x-codex-primary-*` and `x-codex-secondary-*` for the account, `x-codex-<limit>-primary-*` for limits of a model or
 * a feature of its own. Windows are named by their length in minutes, never by their position; use is in percent, 1 is 1 %.
 * `reset-at` is an epoch in seconds, `reset-after-seconds` counts from the answer.
 */
export function readCodexHeaders({ codex, codexOther }: SortedHeaders, findings: Findings): void {
  if (codex !== undefined) for (const slot of ACCOUNT) readSlot(codex, slot, undefined, findings);
  if (codexOther === undefined) return;
  for (const limit of limitsIn(codexOther)) {
    const prefix = `x-codex-${limit}`;
    const scope = textIn(codexOther.get(`${prefix}-limit-name`)) ?? limit;
    for (const slot of SLOTS) readSlot(codexOther, slotOf(prefix, slot), scope, findings);
  }
}

/** The names of the limits, in alphabetical order: `Headers` sorts, records do not. */
function limitsIn(headers: ReadonlyMap<string, string>): readonly string[] {
  const limits = new Set<string>();
  for (const name of headers.keys())
    for (const slot of SLOTS) {
      const suffix = `-${slot}-used-percent`;
      if (name.endsWith(suffix)) limits.add(name.slice("x-codex-".length, -suffix.length));
    }
  return [...limits].sort().slice(0, MOST_LIMITS);
}

function slotOf(prefix: string, slot: string): Slot {
  const field = (part: string): string => `${prefix}-${slot}-${part}`;
  return {
    used: field("used-percent"),
    minutes: field("window-minutes"),
    at: field("reset-at"),
    after: field("reset-after-seconds"),
  };
}

function readSlot(
  headers: ReadonlyMap<string, string>,
  slot: Slot,
  scope: string | undefined,
  findings: Findings,
): void {
  const used = headers.get(slot.used);
  if (used === undefined) return;
  const minutes = readNumber(headers.get(slot.minutes), slot.minutes, findings);
  addCodexWindow(
    {
      used,
      source: slot.used,
      lengthMs: minutes === undefined ? undefined : minutes * 60_000,
      resetAt: headers.get(slot.at),
      resetAtField: slot.at,
      resetAfter: headers.get(slot.after),
      resetAfterField: slot.after,
      scope,
    },
    findings,
  );
}
