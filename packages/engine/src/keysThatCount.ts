import { bucketsOfKeys } from "./applyChange.js";
import { keyCounterAt } from "./dimensionMoment.js";
import type { LivePool } from "./governedPools.js";
import { nextTurn } from "./nextTurn.js";
import type { Counter } from "./usageStore.js";
import type { WindowChange } from "./windowChange.js";

/** Up to this many keys are taken as they are: looking first would take as long as the change itself. */
const FEW_KEYS = 500;
/** So much is looked at in one turn of the event loop: requests are on their way. */
const COUNTERS_AT_ONCE = 500;

/**
 * The keys whose numbers a change depends on: all of a small pool's, and of a large one's those that have any. One that begins to count
 * after it was looked at waits for the next rise with its demand.
 */
export async function keysThatCount({
  live,
  changes,
  show,
}: {
  readonly live: LivePool;
  readonly changes: readonly WindowChange[];
  readonly show: (counters: readonly Counter[]) => Promise<readonly number[]>;
}): Promise<readonly string[]> {
  const all = [...live.governed.standings.keys()];
  if (all.length <= FEW_KEYS) return all;
  const looked = changes.flatMap((change) =>
    bucketsOfKeys(change).map((at) => ({ moment: change.moment, at })),
  );
  const atOnce = Math.max(1, Math.floor(COUNTERS_AT_ONCE / Math.max(1, looked.length)));
  const counting: string[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    if (from > 0) await nextTurn();
    const part = all.slice(from, from + atOnce);
    const amounts = await show(
      part.flatMap((key) => looked.map(({ moment, at }) => keyCounterAt(moment, key, at))),
    );
    counting.push(
      ...part.filter((_key, i) =>
        amounts.slice(i * looked.length, (i + 1) * looked.length).some((amount) => amount !== 0),
      ),
    );
  }
  return counting;
}
