import {
  fixedWindowAt,
  provisionalPercent,
  WINDOW_MS,
  windowBuckets,
  type Bucket,
  type Dimension,
  type EpochMs,
  type FixedWindow,
  type ReserveQuestion,
  type OutsideUse,
  type PercentRate,
} from "@quota/core";
import { agreedWindow, type AgreedWindow } from "./agreedWindow.js";
import { everyoneCounter, keyCounter, lentCounter, spentCounter } from "./counterId.js";
import type { Counter, CounterId } from "./usageStore.js";
import type { WindowState } from "./windowState.js";

/** Which counters the requests to a pool read in one dimension, and how they are looked at, for as long as its window stays the same. */
export interface DimensionMoment {
  readonly dimension: Dimension;
  readonly state: WindowState;
  /** The fixed window that is agreed on; undefined where the dimension's own shape counts. */
  readonly window: AgreedWindow | undefined;
  /**
   * The window's buckets (newest first; with the next at their head, where a neighbour may count in it already), then the generations of holds (alike),
   * then, for a percentage that the provider tells, the demand since its last rise.
   */
  readonly buckets: readonly Bucket[];
  /** Where in `buckets` use is added. */
  readonly settledAt: number;
  /** Where in `buckets` holds are added. */
  readonly heldAt: number;
  /** Where in `buckets` demand is added; −1 where use is counted and not reckoned. */
  readonly provisionalAt: number;
  /** What demand costs; undefined while nothing is learned. */
  readonly rate: PercentRate | undefined;
  /** What the provider saw beyond our count; undefined for nothing. */
  readonly outside: OutsideUse | undefined;
  readonly everyone: readonly Counter[];
  /** The fixed window in which reserves are kept, and the aggregate of them, aligned with `buckets`; undefined where none are. */
  readonly reserve:
    | (FixedWindow & {
        readonly lent: readonly Counter[];
        readonly following: ReserveQuestion["following"];
      })
    | undefined;
}

/** Lays out one dimension at `now`. */
export function dimensionMoment(
  asked: {
    readonly dimension: Dimension;
    readonly state: WindowState;
    readonly generations: readonly Bucket[];
    /** Whether the pool's rule, or its shadow, holds shares back. */
    readonly keepsReserves?: boolean;
  },
  now: EpochMs,
): DimensionMoment {
  const { dimension, state, generations, keepsReserves = false } = asked;
  const window = agreedWindow(dimension, state, now);
  const settled = window === undefined ? [...windowBuckets(dimension.shape, now)] : [fixedBucket(window)];
  // A neighbour whose clock is ahead may count in the next one already: that is reckoned, and nobody is told.
  if (window !== undefined && state.by === "provider" && dimension.unit !== "percent")
    settled.unshift(fixedBucket(followingWindow(window, WINDOW_MS[dimension.window])));
  const buckets = [...settled, ...generations];
  const isReckoned = window !== undefined && state.by === "provider" && dimension.unit === "percent";
  if (isReckoned) buckets.push({ ...fixedBucket(window), holds: "provisional" });
  const laidOut = {
    dimension,
    state,
    window,
    buckets,
    settledAt: settled.length > 1 ? 1 : 0,
    heldAt: settled.length + 1,
    provisionalAt: isReckoned ? buckets.length - 1 : -1,
    rate: isReckoned ? state.rate : undefined,
    outside: seenOutside({ dimension, state, window }),
  };
  const fixed = fixedWindowOf(laidOut);
  const reserve =
    (keepsReserves || state.sharesPrint !== 0) && fixed !== undefined && dimension.limit !== "unknown"
      ? {
          opens: fixed.opens,
          resets: fixed.resets,
          lent: lentCounters(laidOut),
          following: following(laidOut),
        }
      : undefined;
  return { ...laidOut, everyone: everyonesCounters(laidOut), reserve };
}

/** What follows a window of the plan's own; a provider's is as long as the last one until he says otherwise. */
export function following({
  dimension: { window, anchor },
  state,
}: Pick<DimensionMoment, "dimension" | "state">): ReserveQuestion["following"] {
  if (state.by !== "plan" || anchor === undefined) return undefined;
  if (anchor === "first-use") return anchor;
  return (resets) => fixedWindowAt({ window, anchor }, resets);
}

/** The fixed window that a dimension is counted in, agreed on or its own on the epoch; undefined where it rolls. */
export function fixedWindowOf({
  dimension: { shape, window: name },
  window,
  buckets,
  settledAt,
}: Pick<DimensionMoment, "dimension" | "window" | "buckets" | "settledAt">): FixedWindow | undefined {
  if (window !== undefined) return window;
  if (shape.edge !== "fixed") return undefined;
  const resets = buckets[settledAt]!.goneAt;
  return { opens: resets - WINDOW_MS[name], resets };
}

/** One bucket that counts whole until the window's end, and then not at all. */
function fixedBucket({ number, resets }: Pick<AgreedWindow, "number" | "resets">): Bucket {
  return { holds: "settled", index: number, fadesFrom: resets, goneAt: resets };
}

function followingWindow(
  { number, resets }: AgreedWindow,
  lengthMs: number,
): Pick<AgreedWindow, "number" | "resets"> {
  return { number: number + 1, resets: resets + lengthMs };
}

/** What was seen of a window ends with it; where none is agreed on, a window's length after it was seen. */
function seenOutside({
  dimension,
  state,
  window,
}: Pick<DimensionMoment, "dimension" | "state" | "window">): OutsideUse | undefined {
  if (state.outside === 0 || window?.isStored === false) return undefined;
  return { amount: state.outside, until: window?.resets ?? state.seenAt + WINDOW_MS[dimension.window] };
}

/** A key's amounts in one dimension as the rule sees them: below 0 (a hold that had evaporated was given back) is 0. */
export function keysAmounts(
  moment: DimensionMoment,
  amounts: readonly number[],
  from: number,
): readonly number[] {
  const { buckets, provisionalAt, rate } = moment;
  const slice = new Array<number>(buckets.length);
  for (let i = 0; i < buckets.length; i += 1) slice[i] = Math.max(0, amounts[from + i]!);
  if (provisionalAt >= 0) slice[provisionalAt] = provisionalPercent(rate, slice[provisionalAt]!);
  return slice;
}

/** Everybody's amounts in one dimension as the rule sees them: signed. */
export function everyonesAmounts(
  { buckets, provisionalAt, rate }: DimensionMoment,
  amounts: readonly number[],
  from: number,
): readonly number[] {
  const slice = amounts.slice(from, from + buckets.length);
  if (provisionalAt >= 0) slice[provisionalAt] = provisionalPercent(rate, slice[provisionalAt]!);
  return slice;
}

/** A key's counters in one dimension, aligned with the dimension's buckets. */
export function keyCounters(moment: DimensionMoment, apiKeyId: string): readonly Counter[] {
  const counted = { dimension: moment.dimension, isAgreed: moment.window !== undefined };
  return countersOf(moment, (holds) => keyCounter(apiKeyId, counted, holds));
}

/** The one of a key's counters that lies at `i`. */
export function keyCounterAt(moment: DimensionMoment, apiKeyId: string, i: number): Counter {
  const counted = { dimension: moment.dimension, isAgreed: moment.window !== undefined };
  const { holds } = moment.buckets[i]!;
  const id = keyCounter(apiKeyId, counted, holds);
  return { id, bucket: moment.buckets[i]!.index, expiresAt: moment.everyone[i]!.expiresAt };
}

/** What a key's reserve in one dimension has given up or spent, aligned with the dimension's buckets. */
export function spentCounters(moment: DimensionMoment, apiKeyId: string): readonly Counter[] {
  const counted = { dimension: moment.dimension, isAgreed: moment.window !== undefined };
  return countersOf(moment, (holds) => spentCounter(apiKeyId, counted, holds));
}

function lentCounters(moment: Pick<DimensionMoment, "dimension" | "window" | "buckets">): readonly Counter[] {
  const counted = { dimension: moment.dimension, isAgreed: moment.window !== undefined };
  return countersOf(moment, (holds) => lentCounter(counted, holds));
}

function everyonesCounters(
  moment: Pick<DimensionMoment, "dimension" | "window" | "buckets">,
): readonly Counter[] {
  const counted = { dimension: moment.dimension, isAgreed: moment.window !== undefined };
  return countersOf(moment, (holds) => everyoneCounter(counted, holds));
}

/**
 * A bucket is kept for as long as any window cut in such slots would look at it: a fixed window may become a rolling one. One that is
 * agreed on is kept for another length: its end may yet be corrected.
 */
function countersOf(
  { dimension, window, buckets }: Pick<DimensionMoment, "dimension" | "window" | "buckets">,
  idOf: (holds: Bucket["holds"]) => CounterId,
): readonly Counter[] {
  const { slotMs, slots } = dimension.shape;
  const ids = { settled: idOf("settled"), held: idOf("held"), provisional: idOf("provisional") };
  const expiryOf = (index: number): EpochMs =>
    window === undefined ? (index + slots + 1) * slotMs : window.resets + WINDOW_MS[dimension.window];
  return buckets.map(({ holds, index, goneAt }) => ({
    id: ids[holds],
    bucket: index,
    expiresAt: holds === "held" ? goneAt : expiryOf(index),
  }));
}
