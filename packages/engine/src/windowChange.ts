import {
  SAME_RESET_MS,
  sightWindow,
  WINDOW_MS,
  type Bucket,
  type EpochMs,
  type FixedWindow,
} from "@quota/core";
import { dueChange } from "./agreedWindow.js";
import { dimensionMoment, type DimensionMoment } from "./dimensionMoment.js";
import type { PoolMoment } from "./poolMoment.js";
import { isNewer, type Sighting } from "./sighting.js";
import { FULL, type WindowState } from "./windowState.js";

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

/** What the plan asks for, and what readings say that are newer than what is known. */
export function windowChanges(
  moment: PoolMoment,
  sightings: readonly Sighting[],
  now: EpochMs,
): readonly WindowChange[] {
  const changes: WindowChange[] = [];
  for (const each of moment.dimensions.map((planned) => asCounted(planned, now))) {
    const { dimension, state } = each;
    const sighting = sightings.find(({ name }) => name === dimension.name);
    if (sighting !== undefined && isNewer(sighting, state, now))
      changes.push(seenChange(goingOn(each, sighting, now), sighting));
    else {
      const due = dueChange(dimension, state, now);
      if (due === undefined) continue;
      const by = due.kind === "given-up" ? "nobody" : "plan";
      const window = due.kind === "given-up" ? { opens: 0, resets: 0 } : due.window;
      changes.push({
        moment: each,
        kind: due.kind,
        next: { ...withoutShares(state, due.kind), ...window, by, number: nextNumber(each, due.kind) },
        sighting: undefined,
      });
    }
  }
  return changes;
}

/**
 * Where use lies before a plan's window is agreed on. The plan was another one then: most likely a rolling one, of which what the last slot
 * holds counts, too.
 */
function asCounted(moment: DimensionMoment, now: EpochMs): DimensionMoment {
  const { dimension, state } = moment;
  const { rolledAs } = dimension;
  const isOwn = dimension.anchor === undefined || (dimension.anchor === "epoch" && rolledAs === undefined);
  if (state.by !== "nobody" || isOwn) return moment;
  const shape = rolledAs ?? ({ ...dimension.shape, edge: "weighted" } as const);
  return dimensionMoment({ dimension: { ...dimension, shape }, state, generations: holdsOf(moment) }, now);
}

function holdsOf({ buckets }: DimensionMoment): readonly Bucket[] {
  return buckets.filter(({ holds }) => holds === "held");
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
    next: {
      ...withoutShares(state, kind),
      ...ends(sighted),
      by: "provider",
      number: nextNumber(moment, kind),
    },
    sighting,
  };
}

/** A window that has ended by what was agreed on, and by the provider's word ends seconds later, goes on until then. */
function goingOn(moment: DimensionMoment, { resetsAt }: Sighting, now: EpochMs): DimensionMoment {
  const { dimension, state, window } = moment;
  if (state.by !== "provider" || window?.isStored !== false || resetsAt === undefined) return moment;
  const laterMs = resetsAt - state.resets;
  if (laterMs <= 0 || laterMs > SAME_RESET_MS) return moment;
  const generations = holdsOf(moment);
  return {
    ...dimensionMoment(
      {
        dimension,
        state: { ...state, resets: resetsAt },
        generations,
        keepsReserves: moment.reserve !== undefined,
      },
      now,
    ),
    // What is in the ledger is what this was worked out on.
    state,
  };
}

/** What goes over into another layout is counted there; what reserves have given up is not, so they are reckoned anew. */
function withoutShares(state: WindowState, kind: WindowChange["kind"]): WindowState {
  return kind === "first" || kind === "given-up" ? { ...state, sharesPrint: 0 } : state;
}

function nextNumber({ state, window }: DimensionMoment, kind: WindowChange["kind"]): number {
  const current = window?.number ?? state.number;
  if (kind === "first") return state.number + 1;
  // The one that follows a plan's window that has ended is reckoned already.
  const isReckoned = window?.isStored === false && state.by === "plan";
  return kind === "new" && !isReckoned ? current + 1 : current;
}

function ends({ opens, resets }: FixedWindow): FixedWindow {
  return { opens, resets };
}

/** How full the provider has said this very window was; 0 where it has not spoken of it. */
export function seenIn({ state, window }: DimensionMoment): number {
  return window?.isStored === true && state.by === "provider" ? state.seen : 0;
}

/** Whether what counts goes over from one layout into another. */
export function isCarrying({ kind }: WindowChange): boolean {
  return kind === "first" || kind === "given-up";
}
