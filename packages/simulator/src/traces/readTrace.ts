import { parseTrace } from "./parseTrace.js";
import { readText } from "./readText.js";
import type { Trace } from "./trace.js";

/**
 * Reads a trace from a file: comma-separated values with the columns `client`, `slot`, `requests_per_second` and `gap_cv`, one line for
 * every client and slot of ten minutes in which it sent something. Gzipped where the name ends in `.gz`.
 *
 * @throws {TraceError} naming the file and, where there is one, the line and field at fault, and the remedy.
 * @example
 * const trace = await readTrace("traffic.csv.gz");
 */
export async function readTrace(path: string): Promise<Trace> {
  return parseTrace(await readText(path), path);
}
