import { attributeRise, heldAt, learnRate, provisionalPercent, settledAt, type EpochMs } from "@quota/core";
import { everyonesAmounts, type DimensionMoment } from "./dimensionMoment.js";
import { seenState } from "./seenState.js";
import type { Sighting } from "./sighting.js";
import { isCarrying, seenIn, type WindowChange } from "./windowChange.js";
import type { WindowState } from "./windowState.js";

/** A change, and where in a step's amounts its numbers are. */
export interface PlacedChange {
  readonly change: WindowChange;
  /** Where, in the step's amounts, everybody's counters are, aligned with the moment's buckets. */
  readonly everyone: readonly number[];
  /** Where everybody's use is counted from now on. */
  readonly target: number;
  /** Where what is lent is, if reserves are kept: use that no request is charged for is nobody's reserve. */
  readonly lentTarget: number | undefined;
  readonly keys: readonly {
    /** A key's counters that matter to the change, aligned with {@link bucketsOfKeys}. */
    readonly own: readonly number[];
    readonly target: number;
  }[];
}

/** What becomes of a window, and what is added for it. */
export interface AppliedChange {
  readonly state: WindowState;
  readonly additions: readonly (readonly [at: number, amount: number])[];
}

/**
 * What a change does to the amounts that are shown: what goes over into another layout, and whose a rise is.
 *
 * @returns `"needs-keys"` where that cannot be said without every key's numbers.
 */
export function applyChange(
  {
    placed,
    amounts,
    hasKeys,
  }: { readonly placed: PlacedChange; readonly amounts: readonly number[]; readonly hasKeys: boolean },
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
    const carried = bucketsOfKeys(change);
    additions.push(
      ...emptied(
        carried.map((at) => everyone[at]!),
        amounts,
      ),
      [target, counted],
    );
    for (const { own, target: keysTarget } of keys) {
      const use = settledAt(
        {
          buckets: carried.map((at) => buckets[at]!),
          amounts: shown(own).map((amount) => Math.max(0, amount)),
        },
        now,
      );
      additions.push(...emptied(own, amounts), [keysTarget, Math.round(use)]);
    }
  }
  if (sighting === undefined) return { state: { ...next, ...unseen(change) }, additions };
  if (dimension.unit !== "percent") {
    const settled = change.kind === "new" ? 0 : counted;
    const totalThen = settled + heldAt(total, now);
    return { state: seenState({ change, sighting, settled, totalThen }), additions };
  }
  const demand = amounts[everyone[moment.provisionalAt] ?? -1] ?? 0;
  const spread = spreadRise({ placed, sighting, counted, demand, hasKeys, amounts });
  return spread === "needs-keys"
    ? spread
    : { state: spread.state, additions: [...additions, ...spread.additions] };
}

/** What goes over is not left behind: the plan may come back to where it was. */
function emptied(places: readonly number[], amounts: readonly number[]): readonly [number, number][] {
  return places.filter((at) => amounts[at] !== 0).map((at) => [at, -amounts[at]!]);
}

/** Which of a key's buckets a change must see: what goes over, or the demand that a rise is spread by. There may be many keys. */
export function bucketsOfKeys(change: WindowChange): readonly number[] {
  const { buckets, provisionalAt } = change.moment;
  if (!isCarrying(change)) return provisionalAt < 0 ? [] : [provisionalAt];
  return [...buckets.keys()].filter((at) => buckets[at]!.holds === "settled");
}

/** A window that a plan begins anew has not been seen. */
function unseen({ kind }: WindowChange): Partial<WindowState> {
  return kind === "new" ? { seen: 0, outside: 0 } : {};
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
  // Open streams are asked for theirs then: there may be demand that nobody has counted yet.
  if (!hasKeys) return "needs-keys";
  if (demand <= 0) return { state: { ...next, seenAt, seen, outside: outsideBefore + rise }, additions: [] };

  const demands = keys.map(({ own }) => Math.max(0, amounts[own[0]!]!));
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
  if (placed.lentTarget !== undefined) additions.push([placed.lentTarget, rise - outside]);
  keys.forEach(({ own, target: keysTarget }, i) => {
    if (demands[i] === 0) return;
    additions.push([keysTarget, parts[i]!], [own[0]!, -demands[i]!]);
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
