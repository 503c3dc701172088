import { COLUMNS } from "./parseTrace.js";
import type { Trace } from "./trace.js";

/**
 * Writes a trace the way `parseTrace` reads it.
 *
 * @throws {RangeError} for a client whose name has a comma or a line break in it, which the table cannot hold.
 * @example
 * await writeFile("traffic.csv", traceText(generateTrace({ shape: "mixed", clients: 20, days: 14, seed: "1" })));
 */
export function traceText(trace: Trace): string {
  const lines = trace.map(({ client, slot, requestsPerSecond, gapCv }) => {
    if (/[,\r\n]/u.test(client))
      throw new RangeError(
        `The client ${JSON.stringify(client)} has a comma or a line break in its name; rename it.`,
      );
    return [client, slot, significant(requestsPerSecond), significant(gapCv)].join(",");
  });
  return `${[COLUMNS.join(","), ...lines].join("\n")}\n`;
}

/** Six digits: no rate is known better. */
function significant(value: number): number {
  return Number(value.toPrecision(6));
}
