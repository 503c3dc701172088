import { readTraffic } from "./readTraffic.js";
import { shapedTraffic } from "./shapedTraffic.js";
import type { Traffic } from "./traffic.js";

/** The traffic of a file; without one, two weeks of twenty clients of our own making. */
export async function trafficAt(path: string | undefined): Promise<Traffic> {
  return path === undefined
    ? shapedTraffic({ clients: 20, days: 14, seed: "shape" })
    : await readTraffic(path);
}
