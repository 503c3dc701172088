import {
  currentBucket,
  leaseGenerations,
  TALLIES,
  WINDOW_MS,
  windowBuckets,
  type Bucket,
  type Dimension,
  type EpochMs,
  type GovernedPool,
  type OutsideUse,
  type PercentRate,
} from "@quota/core";
import { agreedWindow, dueChange, type AgreedWindow } from "./agreedWindow.js";
import { everyoneCounter, keyCounter } from "./counterId.js";
import type { Counter, CounterId } from "./usageStore.js";
import {
  believable,
  NOTHING_AGREED,
  revisionCounter,
  revisionFor,
  type KnownWindows,
  type WindowState,
} from "./windowState.js";

/** Which counters the requests to a pool read, for as long as its windows, buckets and generations stay the same. */
export interface PoolMoment {
  readonly goodFrom: EpochMs;
  readonly goodUntil: EpochMs;
  /** The pool, with the limits that readings have filled in. */
  readonly governed: GovernedPool;
  readonly dimensions: readonly DimensionMoment[];
  /** The revision of the ledger's windows that this is laid out after. */
  readonly revision: number;
  /** Whether a plan's window must be agreed on before anything is counted. */
  readonly isDue: boolean;
  /** What a request by this key must see. */
  sheetOf(apiKeyId: string): CounterSheet;
}

/** One dimension of a {@link PoolMoment}. */
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
}

/**
 * The counters of one request, flat: per dimension, in order, what the lending rule must see. Under `threshold` that is
 * first the key's (aligned with the dimension's buckets), then everybody's (aligned alike). At the end stands the revision of the
 * ledger's windows.
 */
export interface CounterSheet {
  readonly apiKeyId: string;
  readonly counters: readonly Counter[];
}

/** Above this many counters (20 000 keys in two dimensions of the default shape) sheets are made anew, so that memory stays bounded. */
const MAX_COUNTERS = 480_000;

/** Lays out the counters of a pool at `now`, in the windows that are known. */
export function poolMoment(
  laidOut: { readonly governed: GovernedPool; readonly windows: KnownWindows; readonly leaseMs: number },
  now: EpochMs,
): PoolMoment {
  const { governed, windows, leaseMs } = laidOut;
  const generations = leaseGenerations(leaseMs, now);
  let goodFrom = currentBucket(leaseMs, now) * leaseMs;
  let goodUntil = goodFrom + leaseMs;
  let isDue = false;
  const dimensions = governed.dimensions.map((dimension): DimensionMoment => {
    const state = believable(windows.states.get(dimension.name) ?? NOTHING_AGREED, now);
    const moment = dimensionMoment({ dimension, state, generations }, now);
    isDue ||= dueChange(dimension, state, now) !== undefined;
    const { from, until } = goodFor(moment, now);
    goodFrom = Math.max(goodFrom, from);
    goodUntil = Math.min(goodUntil, until);
    return moment;
  });
  const revision = revisionCounter(now);
  const sheets = new Map<string, CounterSheet>();
  const talliesOf = (moment: DimensionMoment, apiKeyId: string): readonly Counter[] =>
    TALLIES[governed.lending].flatMap((tally) =>
      tally === "key" ? keyCounters(moment, apiKeyId) : moment.everyone,
    );
  return {
    goodFrom,
    goodUntil,
    governed,
    dimensions,
    revision: revisionFor(windows, governed.dimensions),
    isDue,
    sheetOf(apiKeyId) {
      let sheet = sheets.get(apiKeyId);
      if (sheet === undefined) {
        const counters = dimensions.flatMap((moment) => talliesOf(moment, apiKeyId));
        counters.push(revision);
        if ((sheets.size + 1) * counters.length > MAX_COUNTERS) sheets.clear();
        sheet = { apiKeyId, counters };
        sheets.set(apiKeyId, sheet);
      }
      return sheet;
    },
  };
}

/** Lays out one dimension at `now`. */
export function dimensionMoment(
  asked: {
    readonly dimension: Dimension;
    readonly state: WindowState;
    readonly generations: readonly Bucket[];
  },
  now: EpochMs,
): DimensionMoment {
  const { dimension, state, generations } = asked;
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
    outside: outsideUse({ dimension, state, window }),
  };
  return { ...laidOut, everyone: everyonesCounters(laidOut) };
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
function outsideUse({
  dimension,
  state,
  window,
}: Pick<DimensionMoment, "dimension" | "state" | "window">): OutsideUse | undefined {
  if (state.outside === 0 || window?.isStored === false) return undefined;
  return { amount: state.outside, until: window?.resets ?? state.seenAt + WINDOW_MS[dimension.window] };
}

/** For how long a dimension is laid out like this: a slot of its own shape, or as long as the window that is agreed on. */
function goodFor(
  { dimension, state, window }: DimensionMoment,
  now: EpochMs,
): { readonly from: EpochMs; readonly until: EpochMs } {
  // A clock that steps back does not open a window again that others have left.
  if (window !== undefined) return { from: window.isStored ? 0 : window.opens, until: window.resets };
  const { slotMs } = dimension.shape;
  const from = currentBucket(slotMs, now) * slotMs;
  const until = from + slotMs;
  const seenUntil = state.seenAt + WINDOW_MS[dimension.window];
  return { from, until: state.outside > 0 && seenUntil > now ? Math.min(until, seenUntil) : until };
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
