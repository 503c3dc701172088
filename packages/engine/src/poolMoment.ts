import {
  currentBucket,
  leaseGenerations,
  WINDOW_MS,
  type EpochMs,
  type GovernedPool,
  type Standing,
} from "@quota/core";
import { dueChange } from "./agreedWindow.js";
import { dimensionMoment, keyCounters, spentCounters, type DimensionMoment } from "./dimensionMoment.js";
import type { Counter } from "./usageStore.js";
import {
  believable,
  NOTHING_AGREED,
  revisionCounter,
  revisionFor,
  type KnownWindows,
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
  /** Whether a plan's window, or the shares that reserves are reckoned with, must be agreed on before anything is counted. */
  readonly isDue: boolean;
  /** Whether it is a window. */
  readonly isWindowDue: boolean;
  /** Whether reserves are reckoned with the shares that this pool has. */
  readonly hasAgreedShares: boolean;
  /** Grows whenever reserves are reckoned anew. */
  readonly sharesBase: number;
  /** Whether any dimension keeps reserves. */
  readonly keepsReserves: boolean;
  /** Whether all that have a limit do. */
  readonly keepsAllReserves: boolean;
  /** What a request by this key must see. */
  sheetOf(apiKeyId: string): CounterSheet;
  /** What must be seen to look at every key's reserve. */
  everySheet(): EverySheet;
}

/**
 * The counters of one request, flat: per dimension, in order, first the key's (aligned with the dimension's buckets), then everybody's
 * (aligned alike); where reserves are kept also what the key's has spent, and the aggregate of all of them. At the end stands the
 * revision of the ledger's windows.
 */
export interface CounterSheet {
  readonly apiKeyId: string;
  readonly counters: readonly Counter[];
}

/**
 * The counters of everybody's reserves, flat: key after key, and of each, dimension after dimension that keeps reserves, its use and what its
 * reserve has spent; then, dimension after dimension, everybody's use and, where reserves are kept, what is lent. At the end stands the
 * revision of the ledger's windows.
 */
export interface EverySheet {
  readonly keys: readonly string[];
  /** How they stand, aligned with them. */
  readonly standings: readonly Standing[];
  /** Where each key is among them. */
  readonly places: ReadonlyMap<string, number>;
  readonly perKey: number;
  readonly counters: readonly Counter[];
}

/** Above this many counters (20 000 keys in two dimensions of the default shape) sheets are made anew, so that memory stays bounded. */
const MAX_COUNTERS = 480_000;

/** Lays out the counters of a pool at `now`, in the windows that are known. */
export function poolMoment(
  laidOut: {
    readonly governed: GovernedPool;
    /** A print of each dimension's shares; see {@link sharesPrint}. */
    readonly prints: readonly number[];
    readonly windows: KnownWindows;
    readonly leaseMs: number;
  },
  now: EpochMs,
): PoolMoment {
  const { governed, prints, windows, leaseMs } = laidOut;
  const keepsReserves = governed.lending.rule === "reserve" || governed.shadow?.rule === "reserve";
  const generations = leaseGenerations(leaseMs, now);
  let goodFrom = currentBucket(leaseMs, now) * leaseMs;
  let goodUntil = goodFrom + leaseMs;
  const dimensions = governed.dimensions.map((dimension): DimensionMoment => {
    const state = believable(windows.states.get(dimension.name) ?? NOTHING_AGREED, now);
    const moment = dimensionMoment({ dimension, state, generations, keepsReserves }, now);
    const { from, until } = goodFor(moment, now);
    goodFrom = Math.max(goodFrom, from);
    goodUntil = Math.min(goodUntil, until);
    return moment;
  });
  const isWindowDue = dimensions.some(
    ({ dimension, state }) => dueChange(dimension, state, now) !== undefined,
  );
  const hasAgreedShares = dimensions.every(
    ({ state, reserve }, i) => state.sharesPrint === (reserve === undefined ? 0 : (prints[i] ?? 0)),
  );
  const revision = revisionCounter(now);
  const sheets = new Map<string, CounterSheet>();
  let every: EverySheet | undefined;
  return {
    goodFrom,
    goodUntil,
    governed,
    dimensions,
    revision: revisionFor(windows, governed.dimensions),
    isDue: isWindowDue || !hasAgreedShares,
    isWindowDue,
    hasAgreedShares,
    sharesBase: dimensions.reduce((newest, { state }) => Math.max(newest, state.sharesBase), 0),
    keepsReserves: dimensions.some(({ reserve }) => reserve !== undefined),
    keepsAllReserves: dimensions.every(
      ({ dimension, reserve }) => dimension.limit === "unknown" || reserve !== undefined,
    ),
    sheetOf(apiKeyId) {
      let sheet = sheets.get(apiKeyId);
      if (sheet === undefined) {
        const counters = dimensions.flatMap((moment) => talliesOf(moment, apiKeyId));
        counters.push(revision);
        if ((sheets.size + 1) * counters.length > MAX_COUNTERS) sheets.clear();
        sheet = { apiKeyId, counters: Object.freeze(counters) };
        sheets.set(apiKeyId, sheet);
      }
      return sheet;
    },
    everySheet() {
      every ??= everyCounters(dimensions, governed.standings, revision);
      return every;
    },
  };
}

function talliesOf(moment: DimensionMoment, apiKeyId: string): readonly Counter[] {
  const tallies = [...keyCounters(moment, apiKeyId), ...moment.everyone];
  if (moment.reserve !== undefined) tallies.push(...spentCounters(moment, apiKeyId), ...moment.reserve.lent);
  return tallies;
}

function everyCounters(
  dimensions: readonly DimensionMoment[],
  standings: ReadonlyMap<string, Standing>,
  revision: Counter,
): EverySheet {
  const keys = [...standings.keys()];
  const reserving = dimensions.filter(({ reserve }) => reserve !== undefined);
  const perKey = reserving.reduce((sum, { buckets }) => sum + 2 * buckets.length, 0);
  const counters: Counter[] = [];
  for (const key of keys)
    for (const moment of reserving) counters.push(...keyCounters(moment, key), ...spentCounters(moment, key));
  for (const { everyone, reserve } of dimensions) counters.push(...everyone, ...(reserve?.lent ?? []));
  counters.push(revision);
  return {
    keys,
    standings: [...standings.values()],
    places: new Map(keys.map((key, n) => [key, n])),
    perKey,
    counters: Object.freeze(counters),
  };
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
