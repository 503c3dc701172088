import { useAt, type Use } from "./reading.js";
import type { EpochMs } from "./units.js";

/**
 * The earliest millisecond, from `now` on, at which a fading use passes a bound; undefined where it never does.
 *
 * Between two moments at which some bucket begins or ends to fade, a reading is a straight line: the crossing is computed in closed
 * form, then moved to the neighbouring millisecond until `passes` itself, the very comparison that decides, agrees.
 *
 * @param question.bound roughly where `passes` turns true: the closed form aims at it.
 * @param question.passes must hold for every use below one for which it holds.
 */
export function clearingMoment(
  question: { readonly use: Use; readonly bound: number; readonly passes: (amount: number) => boolean },
  now: EpochMs,
): EpochMs | undefined {
  const { use, bound, passes } = question;
  if (passes(useAt(use, now))) return now;
  if (typeof use === "number") return undefined;

  let from = now;
  let atFrom = useAt(use, from);
  for (const to of bends(use, now)) {
    const atTo = useAt(use, to);
    if (!passes(atTo)) {
      from = to;
      atFrom = atTo;
      continue;
    }
    const crossing = from + Math.ceil(((atFrom - bound) / (atFrom - atTo)) * (to - from));
    let moment = Number.isFinite(crossing) ? Math.min(to, Math.max(from + 1, crossing)) : to;
    while (moment > from + 1 && passes(useAt(use, moment - 1))) moment -= 1;
    while (moment < to && !passes(useAt(use, moment))) moment += 1;
    return moment;
  }
  return undefined;
}

/** The moments after `now` at which the line bends, and for a bucket that vanishes at once also the millisecond before. */
function bends(use: Exclude<Use, number>, now: EpochMs): readonly EpochMs[] {
  const moments = new Set<EpochMs>();
  use.buckets.forEach(({ fadesFrom, goneAt }, i) => {
    if (use.amounts[i] === 0) return;
    for (const moment of [fadesFrom, goneAt - 1, goneAt])
      if (moment > now && moment < Infinity) moments.add(moment);
  });
  return [...moments].sort((a, b) => a - b);
}
