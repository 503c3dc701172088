import { useAt, type Use } from "./reading.js";
import type { EpochMs } from "./units.js";

/**
 * The earliest millisecond, from `now` on, at which a fading use passes a bound; undefined where it never does.
 *
 * Between two moments at which some bucket begins or ends to fade, a reading is a straight line: the crossing is computed in closed
 * form, then moved until `passes` itself, the very comparison that decides, agrees. As a rule that is the neighbouring
 * millisecond; but rounding makes stairs of a line (amounts near 2^53 lose a grain over days), so the distance is halved, not walked.
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
    let refused = from;
    let passed = to;
    const look = (moment: EpochMs): void => {
      if (!(moment > refused && moment < passed)) return;
      if (passes(useAt(use, moment))) passed = moment;
      else refused = moment;
    };
    const crossing = from + Math.ceil(((atFrom - bound) / (atFrom - atTo)) * (to - from));
    for (const moment of [crossing, crossing - 1, crossing + 1]) look(moment);
    while (passed - refused > 1) look(Math.floor((refused + passed) / 2));
    return passed;
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
