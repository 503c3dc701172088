import { isKnown } from "./knownLimit.js";

/** Without a limit, what can be counted exactly is one: a request beyond that would make the store fail for everybody. */
export function ceilingOf(limit: number | "unknown"): number {
  return isKnown(limit) ? limit : Number.MAX_SAFE_INTEGER;
}

/** Whether a cost fits under a cap or limit. */
export function hasRoom(used: number, cost: number, bound: number): boolean {
  return used < bound && used + cost <= bound;
}

/** The largest cost that fits under a cap or limit, in whole grains. */
export function roomUnder(used: number, bound: number): number {
  const room = Math.max(0, Math.floor(bound - used));
  // Near 2^53 the difference is rounded: the comparison that decides has the last word.
  if (!hasRoom(used, room, bound)) return Math.max(0, room - 1);
  return hasRoom(used, room + 1, bound) ? room + 1 : room;
}
