import { fixedWindowAt, WINDOW_MS, type Dimension, type EpochMs, type FixedWindow } from "@quota/core";
import type { WindowState } from "./windowState.js";

/** The fixed window that a dimension is counted in, and the number of its bucket. */
export interface AgreedWindow extends FixedWindow {
  readonly number: number;
  /** Whether the ledger has this very window: one that follows it is reckoned. */
  readonly isStored: boolean;
}

/**
 * The fixed window that is agreed on for a dimension at `now`; undefined where none is, so that its own shape counts.
 *
 * A provider's window that has ended is followed by another of its length, until a reading says otherwise: everybody reckons
 * alike, and nothing is written. A plan's is followed by what the plan says, once somebody needs it: see `dueChange`.
 */
export function agreedWindow(
  dimension: Dimension,
  state: WindowState,
  now: EpochMs,
): AgreedWindow | undefined {
  const { number, by, opens, resets } = state;
  if (by === "nobody") return undefined;
  if (now < resets) return { number, opens, resets, isStored: true };
  const lengthMs = WINDOW_MS[dimension.window];
  const current = numberAt(state, lengthMs, now);
  if (by === "provider") {
    const ends = resets + (current - number) * lengthMs;
    return { number: current, opens: ends - lengthMs, resets: ends, isStored: false };
  }
  const next =
    dimension.anchor === undefined
      ? { opens: now, resets: now + lengthMs }
      : fixedWindowAt({ window: dimension.window, anchor: dimension.anchor }, now);
  return { number: current, ...next, isStored: false };
}

/** The number of the window that counts at `now`: of a provider's, as many have begun since as fit; of a plan's, the next one is due. */
export function numberAt(
  { number, by, resets }: Pick<WindowState, "number" | "by" | "resets">,
  lengthMs: number,
  now: EpochMs,
): number {
  if (by === "nobody" || now < resets) return number;
  return by === "plan" ? number + 1 : number + 1 + Math.floor((now - resets) / lengthMs);
}

/** A change of a dimension's window that its plan asks for, and that must be agreed on before anything is counted. */
export type DueChange =
  | { readonly kind: "first" | "moved" | "new"; readonly window: FixedWindow }
  /** The plan gives the window up: the dimension's own shape counts again. */
  | { readonly kind: "given-up" };

/** What a plan's anchor asks of the ledger at `now`; undefined for nothing. What the provider has said outranks it. */
export function dueChange(dimension: Dimension, state: WindowState, now: EpochMs): DueChange | undefined {
  const { window, anchor } = dimension;
  if (state.by === "provider") return undefined;
  // Windows on the epoch are numbered by the epoch itself: there is nothing to agree on, unless they rolled before.
  if (anchor === undefined || (anchor === "epoch" && dimension.rolledAs === undefined))
    return state.by === "plan" ? { kind: "given-up" } : undefined;
  const at = (moment: EpochMs): FixedWindow => fixedWindowAt({ window, anchor }, moment);
  if (state.by === "nobody") return { kind: "first", window: at(now) };
  if (now >= state.resets) return { kind: "new", window: at(now) };
  if (anchor === "first-use") return undefined;
  const { opens, resets } = at(state.opens);
  return opens === state.opens && resets === state.resets ? undefined : { kind: "moved", window: at(now) };
}
