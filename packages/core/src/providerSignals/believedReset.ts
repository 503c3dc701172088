import type { EpochMs } from "../units.js";

/** What a provider said of a window's reset; neither date nor time: nothing. */
export interface StatedReset {
  /** As a date, which is by the provider's clock, … */
  readonly at?: EpochMs | undefined;
  /** … and as a time from now, which is by nobody's. */
  readonly afterMs?: number | undefined;
  /** Where it was read. */
  readonly source: string;
}

/** Clocks further apart than this are not merely late. */
const CLOCKS_DIFFER_MS = 60_000;
/** Where nobody knows how long the window is. */
const FURTHEST_MS = 366 * 86_400_000;

/**
 * The reset that can be believed. Where a date and a time from now disagree by more than a minute, a clock lies, and the time
 * from now counts; otherwise the date, which does not waver from answer to answer. A reset is never further away than the window is
 * long, and one that has passed is none.
 */
export function believedReset(
  { at, afterMs, source }: StatedReset,
  {
    receivedAt,
    lengthMs,
    note,
  }: {
    readonly receivedAt: EpochMs;
    readonly lengthMs: number | undefined;
    readonly note: (sentence: string) => void;
  },
): EpochMs | undefined {
  const counted = afterMs === undefined ? undefined : receivedAt + Math.ceil(afterMs - 1e-6);
  let resetsAt = at ?? counted;
  if (resetsAt === undefined) return undefined;
  if (at !== undefined && counted !== undefined && Math.abs(at - counted) > CLOCKS_DIFFER_MS) {
    note(
      `${source} and the time until then disagree by more than a minute: the time until then is believed.`,
    );
    resetsAt = counted;
  }
  if (!(resetsAt > receivedAt)) {
    if (resetsAt !== receivedAt) note(`${source} has passed: not believed.`);
    return undefined;
  }
  const furthest = receivedAt + (lengthMs ?? FURTHEST_MS);
  if (resetsAt <= furthest) return resetsAt;
  if (lengthMs === undefined) {
    note(`${source} is more than a year away: not believed.`);
    return undefined;
  }
  if (resetsAt - furthest > CLOCKS_DIFFER_MS)
    note(`${source} is further away than the window is long: believed up to its length.`);
  return furthest;
}
