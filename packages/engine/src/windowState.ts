import { GRAINS_PER_UNIT, type DimensionName, type EpochMs, type PercentRate } from "@quota/core";
import { windowStateCounter, WINDOWS_REVISION_COUNTER } from "./counterId.js";
import type { Counter } from "./usageStore.js";

/**
 * What all processes agree on about one dimension's window, and what the provider last said of it. It lives in the pool's
 * ledger, as numbers beside those that are counted.
 */
export interface WindowState {
  /** Grows with every window; names the bucket it is counted in. */
  readonly number: number;
  /** Who says where the window lies. `"nobody"`: it is counted in the dimension's own shape. */
  readonly by: "nobody" | "plan" | "provider";
  readonly opens: EpochMs;
  readonly resets: EpochMs;
  /** When the newest reading was received; 0 for never. */
  readonly seenAt: EpochMs;
  /** How full the provider said the window was: {@link FULL} is all of it. */
  readonly seen: number;
  /** What it saw beyond our count, in grains. */
  readonly outside: number;
  /** The limit that a reading carried, in grains, for a dimension whose plan knows none; 0 for none. */
  readonly limit: number;
  /** Whether limits of this provider's readings are of another unit than what is counted here: they are never filled in again. */
  readonly isLimitRefuted: boolean;
  /** What demand costs in percent; undefined while nothing is learned. */
  readonly rate: PercentRate | undefined;
  /** What stands for the shares that reserves are reckoned with; 0 where none are kept. */
  readonly sharesPrint: number;
  /** The version of the pool that had these shares. */
  readonly sharesVersion: number;
  /** Grows whenever reserves are reckoned anew; names the bucket in which each key's share is written down. */
  readonly sharesBase: number;
}

/** A full window: fullness is kept in grains of percent, and they are compared with what is counted in percent. */
export const FULL = 100 * GRAINS_PER_UNIT.percent;

/** As it is before anything was agreed. */
export const NOTHING_AGREED: WindowState = Object.freeze({
  number: 0,
  by: "nobody",
  opens: 0,
  resets: 0,
  seenAt: 0,
  seen: 0,
  outside: 0,
  limit: 0,
  isLimitRefuted: false,
  rate: undefined,
  sharesPrint: 0,
  sharesVersion: 0,
  sharesBase: 0,
});

/**
 * A state, unless it cannot be: where what two stores held was added up, windows open decades from now. Then nothing is agreed on, and
 * numbers go on.
 */
export function believable(state: WindowState, now: EpochMs): WindowState {
  return state.opens > now + KEPT_MS ? { ...NOTHING_AGREED, number: state.number } : state;
}

/** The states of a ledger's dimensions, as of one revision of them. */
export interface KnownWindows {
  /** Grows with every change that a decision depends on; requests are decided only on the newest. */
  readonly revision: number;
  readonly states: ReadonlyMap<DimensionName, WindowState>;
}

export const NO_WINDOWS: KnownWindows = Object.freeze({ revision: 0, states: new Map() });

/** The ledger's windows are not what this process took them for: it must look at them again, and then ask again. */
export const MOVED = "moved";

/** No ledger has had so many changes. */
const UNREAD = -1;

/**
 * The revision that a process may count on for these dimensions. While nothing was agreed on, there is nothing to read; later, what it has
 * not read of a dimension (a plan may have got it back) is not known, whatever else is.
 */
export function revisionFor(
  { revision, states }: KnownWindows,
  dimensions: readonly { readonly name: DimensionName }[],
): number {
  return revision === 0 || dimensions.every(({ name }) => states.has(name)) ? revision : UNREAD;
}

/** Longer than any window needs: what lies idle for so long has nothing left that counts. */
export const KEPT_MS = 400 * 86_400_000;

/** Counts the changes of a ledger's {@link WindowState}s. */
export function revisionCounter(now: EpochMs): Counter {
  return { id: WINDOWS_REVISION_COUNTER, bucket: 0, expiresAt: now + KEPT_MS };
}

/** The counters that a dimension's state is kept in, in the order of {@link stateAmounts}. */
export function stateCounters(name: DimensionName, now: EpochMs): readonly Counter[] {
  return FIELDS.map((field) => ({
    id: windowStateCounter(name, field),
    bucket: 0,
    expiresAt: now + KEPT_MS,
  }));
}

/** A state as numbers. */
export function stateAmounts(state: WindowState): readonly number[] {
  const { number, by, opens, resets, seenAt, seen, outside, limit, isLimitRefuted, rate } = state;
  const { sharesPrint, sharesVersion, sharesBase } = state;
  return [
    number,
    BY.indexOf(by),
    opens,
    resets,
    seenAt,
    seen,
    outside,
    limit,
    isLimitRefuted ? 1 : 0,
    rate?.percent ?? 0,
    rate?.demand ?? 0,
    sharesPrint,
    sharesVersion,
    sharesBase,
  ];
}

/** A state from its numbers, which begin at `from`. */
export function stateFrom(amounts: readonly number[], from: number): WindowState {
  const at = (field: (typeof FIELDS)[number]): number => amounts[from + FIELDS.indexOf(field)]!;
  const [percent, demand] = [at("rate-percent"), at("rate-demand")];
  return {
    number: at("number"),
    by: BY[at("by")] ?? "nobody",
    opens: at("opens"),
    resets: at("resets"),
    seenAt: at("seen-at"),
    seen: at("seen"),
    outside: at("outside"),
    limit: at("limit"),
    isLimitRefuted: at("limit-refuted") > 0,
    rate: percent > 0 && demand > 0 ? { percent, demand } : undefined,
    sharesPrint: at("shares-print"),
    sharesVersion: at("shares-version"),
    sharesBase: at("shares-base"),
  };
}

const BY = ["nobody", "plan", "provider"] as const;

const FIELDS = [
  "number",
  "by",
  "opens",
  "resets",
  "seen-at",
  "seen",
  "outside",
  "limit",
  "limit-refuted",
  "rate-percent",
  "rate-demand",
  "shares-print",
  "shares-version",
  "shares-base",
] as const;

/** Where among a state's numbers the moment of the newest reading is. */
export const SEEN_AT = FIELDS.indexOf("seen-at");

/** How many numbers a state takes. */
export const STATE_SIZE = FIELDS.length;
