import type { AccountSettings, WindowTerms } from "./accountSettings.js";
import type { AccountWindow } from "./accountWindow.js";

/** An account as its provider tells of it: by the provider's clock, with its rounding. */
export interface AccountView {
  /** The provider's clock. Waits are counted from here, so they are true however wrong it is. */
  readonly now: number;
  readonly planType: string;
  readonly shape: AccountSettings["shape"];
  /** The shortest first. */
  readonly windows: readonly ShownWindow[];
}

export interface ShownWindow {
  readonly name: string;
  readonly unit: WindowTerms["unit"];
  readonly lengthMs: number;
  readonly limit: number;
  /** Unrounded, in its unit (of a percentage in priced tokens). */
  readonly used: number;
  /** Rounded down to the account's steps, at most 100. */
  readonly percent: number;
  /** False: it waits for its first use, and its end slides. */
  readonly isOpen: boolean;
  readonly opensAt: number;
  readonly resetsAt: number;
  /** Counts this model only. */
  readonly model: string | undefined;
}

/** Why a request gets a 429, and what to say of it. */
export interface AccountRefusal {
  readonly cause: "window" | "model" | "overage";
  readonly window: ShownWindow;
  readonly model: string;
}

export function showWindow(
  {
    terms,
    books,
    settings,
  }: { readonly terms: WindowTerms; readonly books: AccountWindow; readonly settings: AccountSettings },
  now: number,
): ShownWindow {
  const { name, unit, lengthMs, limit, model } = terms;
  const { clockOffsetMs, percentSteps } = settings;
  const opensAt = books.openedAt ?? now;
  return {
    name,
    unit,
    lengthMs,
    limit,
    used: books.used,
    percent: roundedDown(percentOf(books.used, limit), percentSteps),
    isOpen: books.openedAt !== undefined,
    opensAt: opensAt + clockOffsetMs,
    resetsAt: opensAt + lengthMs + clockOffsetMs,
    model,
  };
}

export function percentOf(used: number, limit: number): number {
  return limit === 0 ? 100 : (used / limit) * 100;
}

/** What is left, whole where the unit is. */
export function leftOf({ used, limit }: Pick<ShownWindow, "used" | "limit">): number {
  return Math.max(0, limit - used);
}

/** Whole seconds, rounded up, until a moment of the provider's clock. */
export function secondsUntil(moment: number, now: number): number {
  return Math.max(0, Math.ceil((moment - now) / 1000));
}

/** The second a moment falls in, rounded up. */
export function epochSeconds(moment: number): number {
  return Math.ceil(moment / 1000);
}

/** A hair is forgiven: 0.29 × 100 is 28.999999999999996. */
function roundedDown(percent: number, steps: AccountSettings["percentSteps"]): number {
  const perPercent = steps === 1 ? 1 : 10;
  return Math.min(100, Math.floor(percent * perPercent + 1e-9) / perPercent);
}
