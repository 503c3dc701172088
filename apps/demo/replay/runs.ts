import { defaultTokenPrices } from "../server/simulator/tokenPrice.js";
import { drawRequests, MODELS } from "./drawRequests.js";
import { replayTraffic, type ReplayTerms } from "./replayTraffic.js";
import { summarize, type Summary } from "./summarize.js";
import type { Traffic } from "./traffic.js";

/** What a replay is run with, one after the other. */
export const RUNS = {
  whole: { percentSteps: 1, fill: 0.4, policy: "burst" },
  tenths: { percentSteps: 0.1, fill: 0.4, policy: "burst" },
  owner: { percentSteps: 1, fill: 0.4, policy: "burst", owner: { percent: 10, bursts: 2 } },
  ownerOften: { percentSteps: 1, fill: 0.4, policy: "burst", owner: { percent: 10, bursts: 4 } },
  hard: { percentSteps: 1, fill: 1.2, policy: "hard" },
} as const satisfies Readonly<
  Record<string, Pick<ReplayTerms, "percentSteps" | "fill" | "policy" | "owner">>
>;

export type RunName = keyof typeof RUNS;

/** What every replay is told by its results. */
export interface RunResult {
  readonly run: RunName;
  readonly requests: { readonly asked: number; readonly refused: number; readonly refusedByProvider: number };
  readonly fiveHours: Summary;
  readonly weekly: Summary | undefined;
}

const SEED = "replay";

/** Draws the requests of a traffic, the same in every run, and replays them. */
export async function runReplay(
  run: RunName,
  traffic: Traffic,
  { requestsPerWindow = 3000 }: { readonly requestsPerWindow?: number } = {},
): Promise<RunResult> {
  const prices = { ...defaultTokenPrices(), models: { [MODELS.small]: 0.2 } };
  const drawn = drawRequests(traffic, { requestsPerWindow, prices, seed: SEED });
  const { windows, ...requests } = await replayTraffic({ traffic: drawn, prices, seed: SEED, ...RUNS[run] });
  const summaryOf = (name: string): Summary | undefined =>
    summarize(windows.filter((window) => window.name === name));
  const fiveHours = summaryOf("5h");
  if (fiveHours === undefined) throw new RangeError("This traffic is over before a window of five hours is.");
  return { run, requests, fiveHours, weekly: summaryOf("weekly") };
}
