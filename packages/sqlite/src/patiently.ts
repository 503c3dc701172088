import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./sqliteFault.js";

/**
 * Tries again while another process holds the file, with awaited pauses in between: SQLite's own wait would stop the event
 * loop. The error of the last attempt is thrown when `limitMs` have passed; any other error at once.
 */
export async function patiently<Result>(attempt: () => Result, limitMs: number): Promise<Result> {
  const giveUpAt = performance.now() + limitMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    await sleep(backOffMs(tries));
  }
}

/**
 * Short, since a neighbour's transaction takes about a millisecond, and whoever waits longer than the others is served last;
 * random, so that neighbours do not march in step.
 */
export function backOffMs(tries: number): number {
  return 1 + Math.random() * Math.min(tries, 4);
}
