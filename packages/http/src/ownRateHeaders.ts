import { fromGrains, type Decision, type EpochMs, type Unit, type WindowName } from "@quota/core";
import { openingOf, ownQuota, type OwnQuota } from "./ownQuota.js";
import { ANTHROPIC_UNITS, CLAUDE_WINDOWS, CODEX_SLOTS, OPENAI_UNITS } from "./ownRateHeaderNames.js";
import type { RateHeaderFamily } from "./rateHeaderFamilies.js";

/**
 * A provider's rate headers with one key's numbers in the place of the account's, so that its clients show what they always show. Where the
 * decision has nothing that fits a family there is no header of it, and never one that tells of the account: no plan, credits, or overage.
 *
 * - `codex`: how much of its share the key has used, in whole percent, for 5 hours (`primary`) and a week (`secondary`).
 * - `anthropic-unified`: the same as a fraction, with `allowed`, `allowed_warning` (from 80 % on) or `rejected`.
 * - `openai`, `anthropic`: the share, and what is left of it, in requests and tokens; of several windows, the one with the least left.
 *
 * Full (100, 1, `rejected`) is said only where nothing passes, by a share that is used up while the pool lends it is 99 %.
 *
 * @example
 * ownRateHeaders({ decision, families: new Set(["codex"]) }, Date.now()).get("x-codex-primary-used-percent"); // "40"
 */
export function ownRateHeaders(
  { decision, families }: { readonly decision: Decision; readonly families: ReadonlySet<RateHeaderFamily> },
  now: EpochMs,
): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  if (families.size === 0 || decision.dimensions.length === 0) return headers;
  const owned = ownedBy(decision, now);
  const set = (name: string, value: string | number): void => void headers.set(name, String(value));
  for (const family of families) WRITERS[family](owned, set, now);
  return headers;
}

/** {@link OwnQuota} of a decision, and when the key may count on its share again: where this dimension refused, when it opens. */
interface Owned extends OwnQuota {
  readonly resetsAt: EpochMs;
  /** In whole percent, rounded down; 100 where nothing passes, and nowhere else. */
  readonly usedPercent: number;
}

function ownedBy(decision: Decision, now: EpochMs): readonly Owned[] {
  const opensAt = openingOf(decision, now);
  const decidedBy = "decidedBy" in decision ? decision.decidedBy : undefined;
  const owned: Owned[] = [];
  for (const dimension of decision.dimensions) {
    const own = ownQuota(dimension, { counted: decision.allowed, opensAt: undefined }, now);
    if (own === undefined) continue;
    const opens = dimension.name === decidedBy ? opensAt : undefined;
    owned.push(Object.assign(own, { resetsAt: opens ?? own.endsAt, usedPercent: usedPercentOf(own) }));
  }
  return owned;
}

function usedPercentOf({ quota, left, isFull }: OwnQuota): number {
  if (isFull) return 100;
  return quota === 0 ? 99 : Math.min(99, Math.floor(((quota - left) * 100) / quota));
}

type Write = (
  owned: readonly Owned[],
  set: (name: string, value: string | number) => void,
  now: EpochMs,
) => void;

const WRITERS: Readonly<Record<RateHeaderFamily, Write>> = {
  codex(owned, set, now) {
    for (const [window, minutes, names] of CODEX_SLOTS) {
      const own = fullestOf(owned, window);
      if (own === undefined) continue;
      set(names.used, own.usedPercent);
      set(names.length, minutes);
      set(names.resetAfter, secondsUntil(own.resetsAt, now));
      set(names.resetAt, epochSeconds(own.resetsAt));
    }
  },

  "anthropic-unified"(owned, set) {
    let fullest: { readonly own: Owned; readonly claim: string } | undefined;
    for (const [window, claim, names] of CLAUDE_WINDOWS) {
      const own = fullestOf(owned, window);
      if (own === undefined) continue;
      set(names.status, claudeStatus(own));
      set(names.utilization, own.usedPercent / 100);
      set(names.reset, epochSeconds(own.resetsAt));
      if (fullest === undefined || own.usedPercent > fullest.own.usedPercent) fullest = { own, claim };
    }
    if (fullest === undefined) return;
    set("anthropic-ratelimit-unified-status", claudeStatus(fullest.own));
    set("anthropic-ratelimit-unified-reset", epochSeconds(fullest.own.resetsAt));
    set("anthropic-ratelimit-unified-representative-claim", fullest.claim);
  },

  anthropic: counts(ANTHROPIC_UNITS, rfc3339),
  openai: counts(OPENAI_UNITS, duration),
};

/** What families of API keys tell: they differ in their names and in how they write a reset. */
function counts(
  units: typeof ANTHROPIC_UNITS | typeof OPENAI_UNITS,
  written: (resetsAt: EpochMs, now: EpochMs) => string,
): Write {
  return (owned, set, now) => {
    for (const [unit, names] of units) {
      const own = scarcestOf(owned, unit);
      if (own === undefined) continue;
      set(names.limit, whole(own, own.quota));
      set(names.remaining, whole(own, own.left));
      set(names.reset, written(own.resetsAt, now));
    }
  };
}

/** From where on a Claude client warns. */
const WARNING_PERCENT = 80;

/** Of a window's dimensions, the one of which most is used; of several, the one that resets last. */
function fullestOf(owned: readonly Owned[], window: WindowName): Owned | undefined {
  return first(
    owned.filter(({ dimension }) => dimension.window === window),
    (one, other) => other.usedPercent - one.usedPercent,
  );
}

/** Of a unit's dimensions, the one with the least left; of several, the one that resets last. */
function scarcestOf(owned: readonly Owned[], unit: Unit): Owned | undefined {
  return first(
    owned.filter(({ dimension }) => dimension.unit === unit),
    (one, other) => one.left - other.left,
  );
}

function first(owned: Owned[], order: (one: Owned, other: Owned) => number): Owned | undefined {
  if (owned.length > 1) owned.sort((one, other) => order(one, other) || other.resetsAt - one.resetsAt);
  return owned[0];
}

function claudeStatus({ usedPercent }: Owned): string {
  if (usedPercent === 100) return "rejected";
  return usedPercent >= WARNING_PERCENT ? "allowed_warning" : "allowed";
}

/** In units, rounded down: nobody is told of more than there is. */
function whole({ dimension: { unit } }: Owned, grains: number): number {
  return Math.floor(fromGrains(unit, grains));
}

function secondsUntil(at: EpochMs, now: EpochMs): number {
  return Math.max(0, Math.ceil((at - now) / 1000));
}

function epochSeconds(at: EpochMs): number {
  return Math.ceil(at / 1000);
}

function rfc3339(at: EpochMs): string {
  return new Date(epochSeconds(at) * 1000).toISOString().replace(".000Z", "Z");
}

/** As OpenAI writes spans of time, in whole seconds, rounded up: `1s`, `6m0s`, `4h12m5s`. */
function duration(until: EpochMs, now: EpochMs): string {
  const seconds = secondsUntil(until, now);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return (
    (hours > 0 ? `${String(hours)}h` : "") +
    (hours > 0 || minutes > 0 ? `${String(minutes)}m` : "") +
    `${String(seconds % 60)}s`
  );
}
