import { hour } from "../spans.js";

/** A moment on the clocks of Beijing, without a word about the zone: `2026-09-17 21:00:00`. */
export function beijingTime(moment: number): string {
  return new Date(moment + 8 * hour).toISOString().slice(0, 19).replace("T", " ");
}
