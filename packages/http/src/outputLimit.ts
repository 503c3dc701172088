import { isRecord } from "@quota/core";

/**
 * The most output tokens that a request's parsed body lets the model produce, in any dialect: `max_tokens`,
 * `max_completion_tokens` or `max_output_tokens` (the largest, if there are several), times the number of answers asked for (`n`,
 * `best_of`), never above 10^12. `undefined` when the body sets no limit that is a whole number.
 */
export function outputLimit(body: unknown): number | undefined {
  if (!isRecord(body)) return undefined;
  const limits = [body["max_tokens"], body["max_completion_tokens"], body["max_output_tokens"]].filter(
    isCount,
  );
  if (limits.length === 0) return undefined;
  const answers = [body["n"], body["best_of"]].filter(isCount);
  return Math.min(Math.max(...limits) * Math.max(1, ...answers), LARGEST);
}

/** So that a limit of 2^53 − 1 times n is still a number that can be added to and counted. */
const LARGEST = 1e12;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
