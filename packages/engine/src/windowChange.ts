import {
  attributeRise,
  heldAt,
  learnRate,
  leaseGenerations,
  outsideUse,
  provisionalPercent,
  settledAt,
  sightWindow,
  WINDOW_MS,
  type EpochMs,
  type FixedWindow,
} from "@quota/core";
import { dueChange } from "./agreedWindow.js";
import { everyonesAmounts, MOVED } from "./decideAdmission.js";
import { dimensionMoment, keyCounters, type DimensionMoment, type PoolMoment } from "./poolMoment.js";
import type { Sighting } from "./sighting.js";
import type { Counter, Verdict } from "./usageStore.js";
import {
  FULL,
  revisionCounter,
  stateAmounts,
  stateCounters,
  stateFrom,
  type KnownWindows,
  type WindowState,
} from "./windowState.js";

/** What a plan or a reading changes about the window of one dimension. */
export interface WindowChange {
  readonly moment: DimensionMoment;
  /**
   * `first` and `given-up`: what counts goes over from one layout into the other. `same` and `moved`: it goes on. `new`: it starts
   * again.
   */
  readonly kind: "first" | "same" | "moved" | "new" | "given-up";
  /** Where the window lies from now on, with everything else as it was. */
  readonly next: WindowState;
  readonly sighting: Sighting | undefined;
}

/** What became of a step of changes. */
export type ChangeOutcome =
  /** The ledger's windows are not those that the changes were worked out on. */
  | typeof MOVED
  /** The same step must see every key's numbers, too. */
  | "needs-keys"
  | {
      readonly known: KnownWindows;
      /** What everybody has used now, of the percentages that the provider told. */
      readonly told: readonly { readonly moment: DimensionMoment; readonly amount: number }[];
    };

/** What the plan asks for, and what readings say that are newer than what is known. */
export function windowChanges(
  moment: PoolMoment,
  sightings: readonly Sighting[],
  now: EpochMs,
): readonly WindowChange[] {
  const changes: WindowChange[] = [];
  for (const each of moment.dimensions) {
    const { dimension, state } = each;
    const sighting = sightings.find(({ name }) => name === dimension.name);
    if (sighting !== undefined && sighting.receivedAt > state.seenAt)
      changes.push(seenChange(each, sighting));
    else {
      const due = dueChange(dimension, state, now);
      if (due === undefined) continue;
      const by = due.kind === "given-up" ? "nobody" : "plan";
      const window = due.kind === "given-up" ? { opens: 0, resets: 0 } : due.window;
      changes.push({
        moment: each,
        kind: due.kind,
        next: { ...state, ...window, by, number: nextNumber(each, due.kind) },
        sighting: undefined,
      });
    }
  }
  return changes;
}

function seenChange(moment: DimensionMoment, sighting: Sighting): WindowChange {
  const { dimension, state, window } = moment;
  // What is counted needs no window of the provider's; what is told only means something in one.
  if (sighting.resetsAt === undefined && dimension.unit !== "percent")
    return { moment, kind: "same", next: state, sighting };
  const sighted = sightWindow({
    known: window && { ...ends(window), seen: seenIn(moment) },
    lengthMs: WINDOW_MS[dimension.window],
    full: FULL,
    sighting,
  });
  const { kind } = sighted;
  return {
    moment,
    kind,
    next: { ...state, ...ends(sighted), by: "provider", number: nextNumber(moment, kind) },
    sighting,
  };
}

function nextNumber({ state, window }: DimensionMoment, kind: WindowChange["kind"]): number {
  const current = window?.isStored === true || window === undefined ? state.number : window.number;
  // A plan's window that has ended is followed by the next number; it is reckoned already.
  if (kind === "new")
    return window?.isStored === true ? current + 1 : state.by === "plan" ? current : current + 1;
  return kind === "first" ? state.number + 1 : current;
}

function ends({ opens, resets }: FixedWindow): FixedWindow {
  return { opens, resets };
}

/** How full the provider has said this very window was; 0 where it has not spoken of it. */
function seenIn({ state, window }: DimensionMoment): number {
  return window?.isStored === true && state.by === "provider" ? state.seen : 0;
}

/**
 * One step on the ledger that applies changes: agrees on the windows, puts what is counted where it counts from now on, and gives
 * every key its part of what a percentage has risen. It stands only if nobody has changed the windows since.
 *
 * @param asked.keys whose numbers it sees; without them it may find that it needs them.
 */
export function changeStep(
  asked: {
    readonly known: KnownWindows;
    readonly changes: readonly WindowChange[];
    readonly keys: readonly string[] | undefined;
    readonly leaseMs: number;
  },
  now: EpochMs,
): {
  readonly counters: readonly Counter[];
  readonly decide: (amounts: readonly number[]) => Verdict<ChangeOutcome>;
} {
  const { known, keys } = asked;
  const list = counterList();
  const revisionAt = list.place(revisionCounter(now));
  const generations = leaseGenerations(asked.leaseMs, now);
  const placed = asked.changes.map((change) => {
    const { moment, next } = change;
    const after = dimensionMoment({ dimension: moment.dimension, state: next, generations }, now);
    return {
      change,
      states: stateCounters(moment.dimension.name, now).map(list.place),
      everyone: moment.everyone.map(list.place),
      target: list.place(after.everyone[after.settledAt]!),
      keys: (keys ?? []).map((key) => ({
        own: keyCounters(moment, key).map(list.place),
        target: list.place(keyCounters(after, key)[after.settledAt]!),
      })),
    };
  });
  const carries = asked.changes.some(isCarrying);

  return {
    counters: list.counters,
    decide(amounts) {
      const additions = new Array<number>(amounts.length).fill(0);
      if (amounts[revisionAt] !== known.revision) return { result: MOVED, additions };
      const states = new Map(known.states);
      const holdsUpTo = new Array<number>(amounts.length).fill(Infinity);
      holdsUpTo[revisionAt] = known.revision;
      const told: { moment: DimensionMoment; amount: number }[] = [];
      let isChanged = false;
      for (const each of placed) {
        const { moment, sighting } = each.change;
        const { dimension } = moment;
        const before = stateFrom(
          each.states.map((at) => amounts[at]!),
          0,
        );
        holdsUpTo[each.states[SEEN_AT]!] = before.seenAt;
        if (sighting !== undefined && sighting.receivedAt <= before.seenAt) {
          states.set(dimension.name, before);
          continue;
        }
        const applied = applyChange(each, amounts, { hasKeys: keys !== undefined }, now);
        if (applied === "needs-keys")
          return { result: applied, additions: new Array<number>(amounts.length).fill(0) };
        for (const [at, amount] of applied.additions) additions[at]! += amount;
        const after = stateAmounts(applied.state);
        stateAmounts(before).forEach((amount, i) => {
          additions[each.states[i]!]! += after[i]! - amount;
          if (after[i] !== amount && (i !== SEEN_AT || isRolling(applied.state))) isChanged = true;
        });
        states.set(dimension.name, applied.state);
        if (sighting !== undefined && dimension.unit === "percent")
          told.push({ moment, amount: applied.state.seen });
      }
      if (isChanged) additions[revisionAt] = 1;
      const result = { known: { revision: known.revision + (isChanged ? 1 : 0), states }, told };
      // What goes over into another layout must be all there is; demand that came in since waits for the next rise.
      return carries ? { result, additions } : { result, additions, holdsUpTo };
    },
  };
}

/** Where in a state's counters the moment of the newest reading stands. */
const SEEN_AT = 4;

/** What was seen of a window without an end binds for a length from then on: others must know when it was seen. */
function isRolling({ by, outside }: WindowState): boolean {
  return by === "nobody" && outside > 0;
}

function isCarrying({ kind }: WindowChange): boolean {
  return kind === "first" || kind === "given-up";
}

interface PlacedChange {
  readonly change: WindowChange;
  /** Where, in the step's amounts, everybody's counters are, aligned with the moment's buckets. */
  readonly everyone: readonly number[];
  /** Where everybody's use is counted from now on. */
  readonly target: number;
  readonly keys: readonly { readonly own: readonly number[]; readonly target: number }[];
}

interface AppliedChange {
  readonly state: WindowState;
  readonly additions: readonly (readonly [at: number, amount: number])[];
}

function applyChange(
  placed: PlacedChange,
  amounts: readonly number[],
  { hasKeys }: { readonly hasKeys: boolean },
  now: EpochMs,
): AppliedChange | "needs-keys" {
  const { change, everyone, target, keys } = placed;
  const { moment, next, sighting } = change;
  const { buckets, dimension } = moment;
  const additions: [number, number][] = [];
  const shown = (places: readonly number[]): readonly number[] => places.map((at) => amounts[at]!);
  const total = { buckets, amounts: everyonesAmounts(moment, shown(everyone), 0) };
  const counted = Math.round(settledAt({ buckets, amounts: withoutProvisional(moment, total.amounts) }, now));

  if (isCarrying(change) && counted !== 0) {
    if (!hasKeys) return "needs-keys";
    additions.push([target, counted]);
    for (const key of keys) {
      const own = withoutProvisional(moment, shown(key.own));
      const use = settledAt({ buckets, amounts: own.map((amount) => Math.max(0, amount)) }, now);
      additions.push([key.target, Math.round(use)]);
    }
  }
  if (sighting === undefined) return { state: { ...next, ...unseen(change) }, additions };
  if (dimension.unit !== "percent") {
    const totalThen = (change.kind === "new" ? 0 : counted) + heldAt(total, now);
    return { state: seenState({ change, sighting, totalThen }), additions };
  }
  const demand = amounts[everyone[moment.provisionalAt] ?? -1] ?? 0;
  const spread = spreadRise({ placed, sighting, counted, demand, hasKeys, amounts });
  return spread === "needs-keys"
    ? spread
    : { state: spread.state, additions: [...additions, ...spread.additions] };
}

/** A window that a plan begins anew has not been seen. */
function unseen({ kind }: WindowChange): Partial<WindowState> {
  return kind === "new" ? { seen: 0, outside: 0 } : {};
}

/** What a reading says of what we count ourselves: all that is beyond our count was used elsewhere. */
function seenState(asked: {
  readonly change: WindowChange;
  readonly sighting: Sighting;
  readonly totalThen: number;
}): WindowState {
  const { change, sighting, totalThen } = asked;
  const { dimension, state } = change.moment;
  const isUnplanned = dimension.limit === "unknown" || dimension.limit === state.limit;
  const seenLimit = isUnplanned ? (sighting.limit ?? state.limit) : 0;
  const limit = isUnplanned ? seenLimit : Number(dimension.limit);
  const outside =
    limit > 0 ? Math.round(outsideUse({ utilization: sighting.utilization, limit, totalThen })) : 0;
  const before = change.kind === "new" ? 0 : state.outside;
  // A thousandth more or less is not worth everybody's looking again; a full window always is.
  const isNear = Math.abs(outside - before) * 1000 < limit && sighting.seen < FULL && outside > 0;
  return {
    ...change.next,
    seenAt: sighting.receivedAt,
    seen: sighting.seen,
    outside: isNear ? before : outside,
    limit: seenLimit,
  };
}

/** Gives the keys their parts of what a percentage has risen, by their demand since it last did; the rest is the owner's. */
function spreadRise(asked: {
  readonly placed: PlacedChange;
  readonly sighting: Sighting;
  /** What is settled already, of everybody. */
  readonly counted: number;
  /** Everybody's demand since the last rise. */
  readonly demand: number;
  readonly hasKeys: boolean;
  readonly amounts: readonly number[];
}): AppliedChange | "needs-keys" {
  const { placed, sighting, counted, demand, hasKeys, amounts } = asked;
  const { change, everyone, target, keys } = placed;
  const { moment, kind, next } = change;
  const { provisionalAt, rate } = moment;
  const seenAt = sighting.receivedAt;
  // What was there before anybody looked is nobody's.
  if (kind === "first" || moment.state.by !== "provider") {
    const outside = Math.max(0, sighting.seen - counted);
    return { state: { ...next, seenAt, seen: sighting.seen, outside }, additions: [] };
  }
  const goesOn = kind !== "new" && moment.window?.isStored === true && next.number === moment.state.number;
  const outsideBefore = goesOn ? moment.state.outside : 0;
  const base = goesOn ? seenIn(moment) : 0;
  const rise = sighting.seen - base;
  const seen = Math.max(base, sighting.seen);
  if (rise <= 0) return { state: { ...next, seenAt, seen, outside: outsideBefore }, additions: [] };
  if (demand <= 0) return { state: { ...next, seenAt, seen, outside: outsideBefore + rise }, additions: [] };
  if (!hasKeys) return "needs-keys";

  const demands = keys.map(({ own }) => Math.max(0, amounts[own[provisionalAt]!]!));
  const known = demands.reduce((sum, each) => sum + each, 0);
  const explained = rate && provisionalPercent(rate, demand);
  // Keys without an allocation are one.
  const { parts, outside } = attributeRise({
    rise,
    demands: [...demands, Math.max(0, demand - known)],
    explained,
  });
  const additions: [number, number][] = [
    [target, rise - outside],
    [everyone[provisionalAt]!, -demand],
  ];
  keys.forEach(({ own, target: keysTarget }, i) => {
    if (demands[i] === 0) return;
    additions.push([keysTarget, parts[i]!], [own[provisionalAt]!, -demands[i]!]);
  });
  // The rise of a new window has demand from before it in it.
  const learned = kind === "new" ? rate : learnRate(rate, { rise: rise - outside, demand });
  return {
    state: { ...next, seenAt, seen, outside: outsideBefore + outside, rate: learned },
    additions,
  };
}

function withoutProvisional(
  { provisionalAt }: DimensionMoment,
  amounts: readonly number[],
): readonly number[] {
  return provisionalAt < 0 ? amounts : amounts.with(provisionalAt, 0);
}

/** Counters, each of them once, and where each is. */
function counterList(): {
  readonly counters: readonly Counter[];
  readonly place: (counter: Counter) => number;
} {
  const counters: Counter[] = [];
  const places = new Map<string, number>();
  return {
    counters,
    place(counter) {
      const name = `${String(counter.bucket)}|${counter.id}`;
      let at = places.get(name);
      if (at === undefined) {
        at = counters.push(counter) - 1;
        places.set(name, at);
      }
      return at;
    },
  };
}
