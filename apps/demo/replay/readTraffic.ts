import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { Traffic } from "./traffic.js";

const COLUMNS = ["client", "slot", "requests_per_second", "gap_cv"] as const;

/**
 * Reads a traffic from a table of comma-separated values with the columns `client`, `slot`, `requests_per_second` and `gap_cv`; gzipped
 * where the name ends so.
 *
 * @throws {RangeError} naming the line that is none.
 */
export async function readTraffic(path: string): Promise<Traffic> {
  const bytes = await readFile(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const [header = "", ...lines] = text.trim().split(/\r?\n/u);
  const columns = header.split(",");
  const at = COLUMNS.map((column) => columns.indexOf(column));
  if (at.includes(-1)) throw new RangeError(`${path}: the first line must name ${COLUMNS.join(", ")}`);
  return lines.map((line, i) => {
    const cells = line.split(",");
    const [client = "", slot, requestsPerSecond, gapCv] = at.map((column) => cells[column]);
    const read = {
      client,
      slot: Number(slot),
      requestsPerSecond: Number(requestsPerSecond),
      gapCv: Number(gapCv),
    };
    const isRead = Number.isSafeInteger(read.slot) && read.requestsPerSecond >= 0 && read.gapCv >= 0;
    if (client === "" || !isRead) throw new RangeError(`${path}: line ${i + 2} is not a slot: ${line}`);
    return read;
  });
}
