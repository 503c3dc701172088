import {
  curveOf,
  cutTo,
  heldAt,
  outsideOf,
  reserveBound,
  reservedPartAt,
  reserveLeft,
  reserveWritten,
  settledAt,
  useAt,
  type EpochMs,
  type GovernedPool,
} from "@quota/core";
import { counterList } from "./counterList.js";
import { shareCounter } from "./counterId.js";
import {
  everyonesAmounts,
  keyCounters,
  keysAmounts,
  spentCounters,
  type DimensionMoment,
} from "./dimensionMoment.js";
import type { PoolMoment } from "./poolMoment.js";
import type { Counter, Verdict } from "./usageStore.js";
import {
  KEPT_MS,
  MOVED,
  revisionCounter,
  stateAmounts,
  stateCounters,
  stateFrom,
  type KnownWindows,
  type WindowState,
} from "./windowState.js";

/**
 * One step on the ledger after which reserves are reckoned with the pool's own shares: after a change of its rule, its weights or its
 * plan. Every key is looked at. What was held for a key stays held, up to its new share; more than that is held only of what is spare,
 * for each key in proportion where it is not enough for all.
 *
 * A pool that keeps reserves for the first time starts with what was used: whatever a key has not used of its share is held for it, as far as
 * its curve and what is left of the limit allow.
 */
export function sharesStep(
  asked: { readonly known: KnownWindows; readonly moment: PoolMoment; readonly prints: readonly number[] },
  now: EpochMs,
): {
  readonly counters: readonly Counter[];
  readonly decide: (amounts: readonly number[]) => Verdict<KnownWindows | typeof MOVED>;
} {
  const { known, moment, prints } = asked;
  const { governed } = moment;
  const list = counterList();
  const revisionAt = list.place(revisionCounter(now));
  const keys = [...governed.standings.keys()];
  const changing = moment.dimensions.flatMap((dimension, i) => {
    const print = dimension.reserve === undefined ? 0 : (prints[i] ?? 0);
    return dimension.state.sharesPrint === print ? [] : [{ dimension, i, print }];
  });
  const placed = changing.map(({ dimension, i, print }) => {
    const { state, reserve } = dimension;
    const name = dimension.dimension.name;
    const base = (number: number, key: string): Counter => ({
      id: shareCounter(key, name),
      bucket: number,
      expiresAt: now + KEPT_MS,
    });
    return {
      dimension,
      i,
      print,
      states: stateCounters(name, now).map(list.place),
      everyone: dimension.everyone.map(list.place),
      lent: reserve?.lent.map(list.place) ?? [],
      keys:
        reserve === undefined
          ? []
          : keys.map((key) => ({
              used: keyCounters(dimension, key).map(list.place),
              spent: spentCounters(dimension, key).map(list.place),
              shareBefore: list.place(base(state.sharesBase, key)),
              share: list.place(base(known.revision + 1, key)),
            })),
    };
  });

  return {
    counters: list.counters,
    decide(amounts) {
      const additions = new Array<number>(amounts.length).fill(0);
      if (amounts[revisionAt] !== known.revision) return { result: MOVED, additions };
      const states = new Map(known.states);
      for (const each of placed) {
        const { state, dimension } = each.dimension;
        const shown = each.states.map((at) => amounts[at]!);
        const before = stateFrom(shown, 0);
        if (before.sharesPrint !== state.sharesPrint || before.sharesBase !== state.sharesBase)
          return { result: MOVED, additions: new Array<number>(amounts.length).fill(0) };
        const after: WindowState = {
          ...before,
          sharesPrint: each.print,
          sharesVersion: governed.pool.version,
          sharesBase: known.revision + 1,
        };
        stateAmounts(after).forEach((amount, f) => (additions[each.states[f]!]! += amount - shown[f]!));
        if (each.print !== 0) reckonAnew({ ...each, governed, amounts, additions }, now);
        states.set(dimension.name, after);
      }
      additions[revisionAt] = 1;
      return { result: { revision: known.revision + 1, states }, additions };
    },
  };
}

interface Reckoning {
  readonly dimension: DimensionMoment;
  readonly i: number;
  readonly everyone: readonly number[];
  readonly lent: readonly number[];
  readonly keys: readonly {
    readonly used: readonly number[];
    readonly spent: readonly number[];
    readonly shareBefore: number;
    readonly share: number;
  }[];
  readonly governed: GovernedPool;
  readonly amounts: readonly number[];
  readonly additions: number[];
}

function reckonAnew(asked: Reckoning, now: EpochMs): void {
  const { dimension: moment, i, governed, amounts, additions } = asked;
  const { buckets, settledAt: settles, provisionalAt, outside, state, reserve } = moment;
  const limit = moment.dimension.limit as number;
  const curve = curveOf(governed);
  const part = reservedPartAt(curve, reserve!, now);
  const shown = (places: readonly number[]): number[] => places.map((at) => amounts[at]!);
  const total = { buckets, amounts: everyonesAmounts(moment, shown(asked.everyone), 0) };
  const everyone = useAt(total, now) + outsideOf({ outside, dimension: moment.dimension }, now);

  const lines = [...governed.standings.values()].map(({ shares, kept }, k) => {
    const { used, spent, shareBefore } = asked.keys[k]!;
    const share = shares[i]!;
    const u = useAt({ buckets, amounts: keysAmounts(moment, shown(used), 0) }, now);
    const own = { buckets, amounts: shown(spent) };
    const given = useAt(own, now);
    const bound = reserveBound({ share, kept: kept[i]! }, part);
    const had = state.sharesPrint === 0 ? 0 : amounts[shareBefore]!;
    const left = reserveLeft(had, { used: u, spent: given, bound: Infinity });
    const stays = Math.min(left, bound, Math.max(0, share - u));
    const most = Math.min(bound, Math.max(0, share - u), stays + Math.max(0, share - had));
    const written = Math.min(share, reserveWritten(had, { spent: given, bound }));
    return { share, had, given, own, written, stays, more: most - stays };
  });
  const staying = lines.reduce((sum, { stays }) => sum + stays, 0);
  const growing = lines.reduce((sum, { more }) => sum + more, 0);
  const spare = Math.floor(limit - everyone - staying);
  const cut =
    spare < 0 && staying > 0 ? cutTo(Math.max(0, Math.floor(limit - everyone)), staying) : undefined;
  const grow = spare <= 0 || growing === 0 ? () => 0 : growing <= spare ? undefined : cutTo(spare, growing);

  let spentSettled = 0;
  const spentHeld = new Array<number>(buckets.length).fill(0);
  lines.forEach(({ share, had, given, own, written, stays, more }, k) => {
    const places = asked.keys[k]!;
    const grown = stays + (grow === undefined ? more : grow(more));
    const left = cut === undefined ? Math.max(written, grown) : cut(stays);
    const fromOwn = heldAt(own, now);
    // More than the share is now came out of it for requests that are still open: in the next window, it would be less than nothing.
    const isOver = fromOwn > share;
    const change = share - left - given + (isOver ? fromOwn : 0);
    additions[places.spent[settles]!]! += change;
    additions[places.share]! += share - amounts[places.share]!;
    if (places.shareBefore !== places.share) additions[places.shareBefore]! -= had;
    spentSettled += settledAt(own, now) + change;
    buckets.forEach(({ holds }, b) => {
      if (holds !== "held") return;
      if (isOver) additions[places.spent[b]!]! -= own.amounts[b]!;
      else spentHeld[b]! += own.amounts[b]!;
    });
  });
  const counted = provisionalAt < 0 ? total.amounts : total.amounts.with(provisionalAt, 0);
  const use = { buckets, amounts: counted };
  const lentBefore = { buckets, amounts: shown(asked.lent) };
  additions[asked.lent[settles]!]! +=
    useAt(use, now) - heldAt(use, now) - spentSettled - (useAt(lentBefore, now) - heldAt(lentBefore, now));
  buckets.forEach(({ holds }, b) => {
    if (holds === "held") additions[asked.lent[b]!]! += counted[b]! - spentHeld[b]! - lentBefore.amounts[b]!;
  });
}
