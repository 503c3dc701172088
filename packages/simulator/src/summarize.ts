import { maxMin } from "./maxMin.js";
import type { Played, PlayedWindow } from "./played.js";
import type { Workload } from "./workload.js";

/** A rule's figures. Parts are 0 to 1. */
export interface Summary {
  /** What was asked for, let in, and could have been let in by who knew all demand beforehand. */
  readonly demand: number;
  readonly admitted: number;
  readonly possible: number;
  /** Admitted, as a part of what was possible. */
  readonly utilization: number;
  /** What keys lacked of their weighted max-min part in hindsight, as a part of all those parts. */
  readonly shortfall: number;
  /** Jain's index of what keys got of those parts, in the mean of the windows: 1 is all the same. */
  readonly jain: number;
  /** Requests refused although their key was inside its share, as a part of all. */
  readonly refusedInside: number;
  /** Requests within their key's share that were never let in, as a part of all. */
  readonly lostInside: number;
  /** What keys lacked of what they asked for within their share, as a part of that. */
  readonly guaranteeShortfall: number;
  readonly asks: number;
  readonly refusals: number;
  readonly retries: Played["retries"];
  readonly perWindow: readonly WindowSummary[];
  /** Aligned with the workload's keys. */
  readonly perKey: readonly KeySummary[];
  readonly course: Played["course"];
}

/** A window's figures. */
export interface WindowSummary {
  /** What was asked for, as a part of the limit. */
  readonly load: number;
  readonly utilization: number;
  readonly shortfall: number;
}

/** A key's requests, in all windows. */
export interface KeySummary {
  readonly id: string;
  readonly demand: number;
  /** What it would have been let have in hindsight. */
  readonly ideal: number;
  readonly admitted: number;
}

/** What a run comes to, against hindsight: window for window, since no rule can carry requests from one to the next. */
export function summarize({ keys, limit }: Pick<Workload, "keys" | "limit">, played: Played): Summary {
  const windows = played.windows.map((window) => measure(window, Math.max(0, limit - window.outside)));
  const sum = (of: (window: Measured) => number): number => total(windows.map(of));
  const rated = windows.filter(({ jain }) => jain !== undefined);
  const demand = sum((window) => window.demand);
  const unguaranteed = sum((window) => window.unguaranteed);
  return {
    demand,
    admitted: sum((window) => window.admitted),
    possible: sum((window) => window.possible),
    utilization: part(
      sum((window) => window.admitted),
      sum((window) => window.possible),
    ),
    shortfall: part(
      sum((window) => window.lacking),
      sum((window) => window.possible),
      0,
    ),
    jain: part(
      sum((window) => window.jain ?? 0),
      rated.length,
    ),
    refusedInside: part(played.refusedInside, demand, 0),
    lostInside: part(unguaranteed, demand, 0),
    guaranteeShortfall: part(
      unguaranteed,
      sum((window) => window.guaranteed),
      0,
    ),
    asks: played.asks,
    refusals: played.refusals,
    retries: played.retries,
    perWindow: windows.map(({ demand, admitted, possible, lacking }) => ({
      load: demand / limit,
      utilization: part(admitted, possible),
      shortfall: part(lacking, possible, 0),
    })),
    perKey: keys.map(({ id }, key) => ({
      id,
      demand: total(played.windows.map(({ demands }) => demands[key]!)),
      ideal: total(windows.map(({ ideal }) => ideal[key]!)),
      admitted: total(played.windows.map(({ admitted }) => admitted[key]!)),
    })),
    course: played.course,
  };
}

/** One window against hindsight, in requests. */
interface Measured {
  readonly ideal: ArrayLike<number>;
  readonly demand: number;
  readonly admitted: number;
  readonly possible: number;
  readonly lacking: number;
  readonly guaranteed: number;
  readonly unguaranteed: number;
  /** Undefined where nobody asked for anything, or nobody got it. */
  readonly jain: number | undefined;
}

function measure({ demands, admitted, shares, weights }: PlayedWindow, limit: number): Measured {
  const ideal = maxMin({ demands, weights, limit });
  let [lacking, guaranteed, unguaranteed] = [0, 0, 0];
  let [ratios, squares, rated] = [0, 0, 0];
  for (let key = 0; key < demands.length; key += 1) {
    const got = admitted[key]!;
    const promised = Math.min(shares[key]!, demands[key]!);
    lacking += Math.max(0, ideal[key]! - got);
    guaranteed += promised;
    unguaranteed += Math.max(0, promised - got);
    if (ideal[key]! > 0) {
      const ratio = got / ideal[key]!;
      ratios += ratio;
      squares += ratio * ratio;
      rated += 1;
    }
  }
  return {
    ideal,
    demand: total(demands),
    admitted: total(admitted),
    possible: total(ideal),
    lacking,
    guaranteed,
    unguaranteed,
    jain: squares === 0 ? undefined : (ratios * ratios) / (rated * squares),
  };
}

function total(amounts: ArrayLike<number>): number {
  return Array.from(amounts).reduce((sum, each) => sum + each, 0);
}

function part(of: number, whole: number, ofNothing = 1): number {
  return whole === 0 ? ofNothing : of / whole;
}
