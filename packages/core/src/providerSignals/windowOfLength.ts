import { WINDOW_MS, WINDOWS } from "../window.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Providers round: windows of 299 and of 10 079 minutes have been seen. */
const TOLERANCE = 0.02;
const LONGEST_MS = 400 * DAY_MS;

/** A window by its name, and how far away its reset can be. */
export interface NamedWindow {
  readonly window: string;
  readonly lengthMs: number;
}

/**
 * The window of about this length: one of `WINDOWS` if it is within 2 % of it (a month: 28 to 31 days), else a window of its
 * own, named for its length (`"1m"`, `"12h"`, `"3d"`). Undefined where nothing is that long.
 */
export function windowOfLength(lengthMs: number): NamedWindow | undefined {
  if (!(lengthMs >= 1 && lengthMs <= LONGEST_MS)) return undefined;
  for (const known of OF_PLANS) if (lengthMs >= known.fromMs && lengthMs <= known.upToMs) return known;
  return { window: nameOf(lengthMs), lengthMs: Math.ceil(lengthMs) };
}

/** How long the window of this name can be; undefined where the name does not say. A month has up to 31 days. */
export function lengthOfWindow(window: string | null): number | undefined {
  return window === null ? undefined : LENGTHS.get(window);
}

const LENGTHS: ReadonlyMap<string, number> = new Map([
  ...WINDOWS.map((window) => [window, WINDOW_MS[window]] as const),
  ["monthly", 31 * DAY_MS],
  ["1m", 60_000],
]);

interface PlanWindow extends NamedWindow {
  readonly fromMs: number;
  readonly upToMs: number;
}

const OF_PLANS: readonly PlanWindow[] = WINDOWS.map((window) => ({
  window,
  lengthMs: LENGTHS.get(window)!,
  fromMs: window === "monthly" ? 28 * DAY_MS : WINDOW_MS[window] * (1 - TOLERANCE),
  upToMs: window === "monthly" ? 31 * DAY_MS : WINDOW_MS[window] * (1 + TOLERANCE),
}));

function nameOf(lengthMs: number): string {
  if (lengthMs % DAY_MS === 0) return `${lengthMs / DAY_MS}d`;
  if (lengthMs % HOUR_MS === 0) return `${lengthMs / HOUR_MS}h`;
  return lengthMs < 60_000 ? `${Math.ceil(lengthMs / 1000)}s` : `${Math.round(lengthMs / 60_000)}m`;
}
