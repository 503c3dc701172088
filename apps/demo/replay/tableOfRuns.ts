import type { RunResult } from "./runs.js";
import { NEAR, type Summary } from "./summarize.js";

const TITLES: Readonly<Record<RunResult["run"], string>> = {
  whole: "whole percents",
  tenths: "tenths of a percent",
  owner: "whole percents, and the owner uses 10 % of every window, 5 at once",
  ownerOften: "whole percents, and the owner uses 10 % of every window, 2.5 at once",
  hard: "whole percents, hard shares, more asked for than there is",
};

/** A run in words, for people. */
export function tableOfRuns(results: readonly RunResult[]): string {
  return results
    .map((result) => {
      const { run, requests, fiveHours, weekly } = result;
      const { asked, refused, refusedByProvider } = requests;
      return [
        TITLES[run],
        `  requests      ${asked} asked, ${refused} refused by the engine, ${refusedByProvider} by the provider`,
        ...lines("5 hours", fiveHours),
        ...(weekly === undefined ? [] : lines("week", weekly)),
      ].join("\n");
    })
    .join("\n\n");
}

function lines(name: string, summary: Summary): readonly string[] {
  const { worst, sinceReading, fullness } = summary;
  return [
    `  ${name}: ${summary.windows} windows × keys = ${summary.pairs}, ${fullness.mean} % full in the mean, ${fullness.most} % at most`,
    `    within ${NEAR} points of the truth: ${percent(summary.near)} (every key: ${percent(summary.nearForAll)} of windows); with what is reckoned since the last rise ${percent(summary.shownNear)}`,
    `    worst: ${worst.key} in window ${worst.window}: ${worst.attributed} for ${worst.truth}`,
    `    spread since the last reading instead: ${percent(sinceReading.near)} (every key: ${percent(sinceReading.nearForAll)} of windows)`,
    `    attributed + outside − what the provider said: ${summary.largestError} at most`,
    `    outside: ${summary.outside} % of a window in the mean; the owner used ${summary.trueOutside} %; one key at most ${summary.mostOfOneKey} %`,
  ];
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)} %`;
}
