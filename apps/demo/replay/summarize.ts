import type { WatchedKey, WatchedWindow } from "./watchWindows.js";

/** How near is near enough: percent points. */
export const NEAR = 2;

/** How near the engine came to the truth in a number of windows. Amounts in percent of a window. */
export interface Summary {
  readonly windows: number;
  /** Of windows × keys. */
  readonly pairs: number;
  /** The part of them whose attributed percentage is within 2 points of the truth. */
  readonly near: number;
  /** The part of windows in which every key's is. */
  readonly nearForAll: number;
  readonly worst: {
    readonly window: number;
    readonly key: string;
    readonly truth: number;
    readonly attributed: number;
  };
  /** The same with what is reckoned since the last rise: what people see as a window ends. */
  readonly shownNear: number;
  /** The same where rises are spread by demand since the last reading. */
  readonly sinceReading: { readonly near: number; readonly nearForAll: number };
  /** `attributed + outside` against what the provider said: the largest difference, at any reading. */
  readonly largestError: number;
  /** In the mean of all windows. */
  readonly outside: number;
  readonly trueOutside: number;
  readonly fullness: { readonly mean: number; readonly most: number };
  /** The most that one key really used of one window. */
  readonly mostOfOneKey: number;
}

/** Undefined without any window. */
export function summarize(windows: readonly WatchedWindow[]): Summary | undefined {
  const pairs = windows.flatMap(({ keys }, window) => keys.map((each) => ({ ...each, window })));
  const [worst] = pairs.toSorted((one, other) => offBy("attributed", other) - offBy("attributed", one));
  if (worst === undefined) return undefined;
  const nearBy = (way: Way): number => pairs.filter((each) => offBy(way, each) <= NEAR).length / pairs.length;
  const nearForAllBy = (way: Way): number =>
    windows.filter(({ keys }) => keys.every((each) => offBy(way, each) <= NEAR)).length / windows.length;
  const mean = (amountOf: (window: WatchedWindow) => number): number =>
    rounded(windows.reduce((sum, window) => sum + amountOf(window), 0) / windows.length);
  const { window, key, truth, attributed } = worst;
  return {
    windows: windows.length,
    pairs: pairs.length,
    near: nearBy("attributed"),
    nearForAll: nearForAllBy("attributed"),
    worst: { window, key, truth: rounded(truth), attributed: rounded(attributed) },
    shownNear: nearBy("shown"),
    sinceReading: { near: nearBy("sinceReading"), nearForAll: nearForAllBy("sinceReading") },
    largestError: Math.max(...windows.map(({ error }) => Math.abs(error))),
    outside: mean(({ outside }) => outside),
    trueOutside: mean(({ trueOutside }) => trueOutside),
    fullness: {
      mean: mean(({ trueTotal }) => trueTotal),
      most: rounded(Math.max(...windows.map(({ trueTotal }) => trueTotal))),
    },
    mostOfOneKey: rounded(Math.max(...pairs.map((each) => each.truth))),
  };
}

type Way = "attributed" | "shown" | "sinceReading";

function offBy(way: Way, key: WatchedKey): number {
  return Math.abs(key[way] - key.truth);
}

function rounded(percent: number): number {
  return Math.round(percent * 1000) / 1000;
}
