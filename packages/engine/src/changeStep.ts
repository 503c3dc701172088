import { leaseGenerations, type EpochMs } from "@quota/core";
import { applyChange, bucketsOfKeys } from "./applyChange.js";
import { counterList } from "./counterList.js";
import { dimensionMoment, keyCounterAt, type DimensionMoment } from "./dimensionMoment.js";
import { isNewer } from "./sighting.js";
import type { Counter, Verdict } from "./usageStore.js";
import { isCarrying, type WindowChange } from "./windowChange.js";
import {
  believable,
  MOVED,
  revisionCounter,
  SEEN_AT,
  stateAmounts,
  stateCounters,
  stateFrom,
  type KnownWindows,
  type WindowState,
} from "./windowState.js";

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
    const keepsReserves = moment.reserve !== undefined;
    const after = dimensionMoment(
      { dimension: moment.dimension, state: next, generations, keepsReserves },
      now,
    );
    return {
      change,
      states: stateCounters(moment.dimension.name, now).map(list.place),
      everyone: moment.everyone.map(list.place),
      target: list.place(after.everyone[after.settledAt]!),
      lentTarget: after.reserve && list.place(after.reserve.lent[after.settledAt]!),
      keys: (keys ?? []).map((key) => ({
        own: bucketsOfKeys(change).map((at) => list.place(keyCounterAt(moment, key, at))),
        target: list.place(keyCounterAt(after, key, after.settledAt)),
      })),
    };
  });
  const carries = asked.changes.some(isCarrying);

  return {
    counters: list.counters,
    decide(amounts) {
      const nothing = new Array<number>(amounts.length).fill(0);
      if (amounts[revisionAt] !== known.revision) return { result: MOVED, additions: nothing };
      const additions = nothing.slice();
      const states = new Map(known.states);
      const holdsUpTo = new Array<number>(amounts.length).fill(Infinity);
      holdsUpTo[revisionAt] = known.revision;
      const told: { moment: DimensionMoment; amount: number }[] = [];
      const changed = new Set<DimensionMoment>();
      for (const each of placed) {
        const { moment, sighting } = each.change;
        const { dimension } = moment;
        const before = stateFrom(
          each.states.map((at) => amounts[at]!),
          0,
        );
        // A store may show what it remembers, and what is learned within a revision is known to whoever learned it.
        if (!isSame(believable(before, now), moment.state)) return { result: MOVED, additions: nothing };
        holdsUpTo[each.states[SEEN_AT]!] = before.seenAt;
        if (sighting !== undefined && !isNewer(sighting, believable(before, now), now)) {
          states.set(dimension.name, before);
          continue;
        }
        const applied = applyChange({ placed: each, amounts, hasKeys: keys !== undefined }, now);
        if (applied === "needs-keys") return { result: applied, additions: nothing };
        for (const [at, amount] of applied.additions) additions[at]! += amount;
        const after = stateAmounts(applied.state);
        each.states.forEach((at, i) => {
          additions[at]! += after[i]! - amounts[at]!;
        });
        if (isNews(before, applied.state)) changed.add(moment);
        states.set(dimension.name, applied.state);
        if (sighting !== undefined && dimension.unit === "percent")
          told.push({ moment, amount: applied.state.seen });
      }
      const steps = changed.size > 0 ? 1 : 0;
      additions[revisionAt] = steps;
      const result = { known: { revision: known.revision + steps, states }, told };
      // What goes over into another layout must be all there is; demand that came in since waits for the next rise.
      return carries ? { result, additions } : { result, additions, holdsUpTo };
    },
  };
}

/** The same, but for when it was last seen. */
function isSame(a: WindowState, b: WindowState): boolean {
  const others = stateAmounts(b);
  return stateAmounts(a).every((amount, i) => i === SEEN_AT || amount === others[i]);
}

/**
 * Whether requests must be decided on it. They are all decided anew for a new revision, and some providers tell a little more with every
 * answer: how full a window was seen matters to the next rise alone, and what demand costs, only when it has changed by more than a tenth.
 */
function isNews(before: WindowState, after: WindowState): boolean {
  for (const field of ["number", "by", "opens", "resets", "outside", "limit", "sharesPrint"] as const)
    if (before[field] !== after[field]) return true;
  // What was seen of a window without an end binds for a length from then on.
  if (after.by === "nobody" && after.outside > 0) return before.seenAt !== after.seenAt;
  if (before.rate === undefined || after.rate === undefined) return before.rate !== after.rate;
  const dearer = after.rate.percent / after.rate.demand / (before.rate.percent / before.rate.demand);
  return dearer < 0.9 || dearer > 1.1;
}
