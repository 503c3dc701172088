import { outsideUse } from "@quota/core";
import type { Sighting } from "./sighting.js";
import type { WindowChange } from "./windowChange.js";
import { FULL, type WindowState } from "./windowState.js";

/** What a reading says of what we count ourselves: all that is beyond our count was used elsewhere. */
export function seenState(asked: {
  readonly change: WindowChange;
  readonly sighting: Sighting;
  readonly settled: number;
  /** Settled and held. */
  readonly totalThen: number;
}): WindowState {
  const { change, sighting, settled, totalThen } = asked;
  const { dimension, state } = change.moment;
  const isUnplanned = dimension.limit === "unknown" || dimension.limit === state.limit;
  const isLimitRefuted = state.isLimitRefuted || (isUnplanned && refutesLimit(sighting, settled));
  const seenLimit = isUnplanned && !isLimitRefuted ? (sighting.limit ?? state.limit) : 0;
  const limit = isUnplanned ? seenLimit : dimension.limit;
  const outside =
    limit > 0 ? Math.round(outsideUse({ utilization: sighting.utilization, limit, totalThen })) : 0;
  const before = change.kind === "new" ? 0 : state.outside;
  // A thousandth more or less is not worth everybody's looking again; a full window always is.
  const isNear = Math.abs(outside - before) * 1000 < limit && sighting.seen < FULL && outside > 0;
  return {
    ...change.next,
    seenAt: sighting.receivedAt,
    seen: sighting.seen,
    outside: isNear ? before : outside,
    limit: seenLimit,
    isLimitRefuted,
  };
}

/**
 * Nobody counts more of an account than its provider does. Where we have, by half of a window, the reading counts something else (MiniMax
 * counts prompts, which its plan here calls tokens), and its limit would lock everybody out.
 */
function refutesLimit({ limit, utilization }: Sighting, settled: number): boolean {
  return limit !== undefined && settled > (utilization + 0.5) * limit;
}
