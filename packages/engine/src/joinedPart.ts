import { WINDOW_MS, type DimensionName, type EpochMs, type WindowName } from "@quota/core";
import { numberAt } from "./agreedWindow.js";
import { RATE_MINUTE_COUNTER, RATE_REVISION_COUNTER } from "./counterId.js";
import type { LedgerPart } from "./ledgerPart.js";
import type { Counter } from "./usageStore.js";
import { stateCounters, stateFrom, type WindowState } from "./windowState.js";

/** A part of a ledger as it belongs into another store, which may hold some of the same ledger already. */
export interface JoinedPart {
  readonly counters: readonly Counter[];
  /** What they are to hold, where they have held this; aligned with the counters, as all of it is. */
  amountsOver(before: readonly number[]): readonly number[];
}

/** Reads counters of one ledger, as they are now. */
export type LedgerLook = (counters: readonly Counter[]) => Promise<readonly number[]>;

/**
 * Puts a part of a ledger that was counted in one store into the terms of another.
 *
 * What was used is added. What is agreed on is not: a rate plan's newest revision is the larger of the two, and of a dimension's window
 * the target's own counts where it has one. Windows are numbered in each store for itself, so what was counted in the source's current
 * window goes into the target's.
 *
 * @param looks what each store holds of this ledger.
 */
export async function joinedPart(
  part: LedgerPart,
  looks: { readonly from: LedgerLook; readonly to: LedgerLook },
  now: EpochMs,
): Promise<JoinedPart> {
  const windows = new Map<DimensionName, Shift>();
  for (const name of new Set(part.counters.map(({ id }) => dimensionIn(id)))) {
    if (name === undefined) continue;
    const counters = stateCounters(name, now);
    const [source, target] = await Promise.all([looks.from(counters), looks.to(counters)]);
    windows.set(name, shiftOf(name, { source: stateFrom(source, 0), target: stateFrom(target, 0) }, now));
  }
  const shiftIn = (id: string): Shift | undefined => {
    const name = dimensionIn(id);
    return name && windows.get(name);
  };
  return {
    counters: part.counters.map((counter) => {
      const by = isState(counter.id) ? 0 : (shiftIn(counter.id)?.by ?? 0);
      return by === 0 ? counter : { ...counter, bucket: counter.bucket + by };
    }),
    amountsOver: (before) =>
      part.amounts.map((amount, i) => {
        const { id } = part.counters[i]!;
        if (id === RATE_REVISION_COUNTER || id === RATE_MINUTE_COUNTER) return Math.max(amount, before[i]!);
        if (isState(id)) return shiftIn(id)?.isTargets === true ? before[i]! : amount;
        return amount + before[i]!;
      }),
  };
}

/** From the source's window of a dimension to the target's. */
interface Shift {
  /** How much later the target's number is. */
  readonly by: number;
  /** Whether the target has agreed on the window. */
  readonly isTargets: boolean;
}

function shiftOf(
  name: DimensionName,
  { source, target }: { readonly source: WindowState; readonly target: WindowState },
  now: EpochMs,
): Shift {
  const isTargets = target.number > 0;
  const lengthMs = WINDOW_MS[name.slice(name.indexOf("/") + 1) as WindowName];
  const later = numberAt(target, lengthMs, now) - numberAt(source, lengthMs, now);
  return { by: isTargets ? later : 0, isTargets };
}

function isState(id: string): boolean {
  return id.startsWith("window|");
}

/** The dimension whose agreed window a counter belongs to; undefined where it belongs to none. Ids are escaped: nobody's name looks like this. */
function dimensionIn(id: string): DimensionName | undefined {
  const found = /^window\|([a-z]+\/[a-z0-9]+)\|/u.exec(id) ?? /\|([a-z]+\/[a-z0-9]+)@\|[a-z]+$/u.exec(id);
  return found?.[1] as DimensionName | undefined;
}
