import { QuotaConfigError, WINDOW_MS } from "@quota/core";
import type { KeyRates } from "../arrivals.js";
import type { Workload } from "../workload.js";
import { SCRIPTS, type Act } from "./scripts.js";

/** A window is cut into so many slots: the last fiftieth is two of them. */
const SLOTS = 100;
const WINDOW = "5h";

/**
 * A script as work for a pool of this limit. Requests come evenly, so that what is shown is the rule and not chance.
 *
 * @throws {QuotaConfigError} for a name that is none of {@link SCRIPTS}.
 * @example
 * workloadOfScript("hog-then-all", { limit: 3000 });
 */
export function workloadOfScript(name: string, { limit }: { readonly limit: number }): Workload {
  const script = SCRIPTS.find((each) => each.name === name);
  if (script === undefined)
    throw new QuotaConfigError({
      code: "unknown-script",
      field: "script",
      problem: `"${name.slice(0, 40)}" is no script.`,
      remedy: `Take one of ${SCRIPTS.map((each) => each.name).join(", ")}.`,
    });
  const { keys, incidents = [] } = script;
  return {
    ...{ name, window: WINDOW, limit, windows: 1 },
    keys: keys.map(({ id, acts }) => ({ id, weight: 100 / keys.length, rates: ratesOf(acts, limit) })),
    incidents: incidents.map((incident) => {
      const at = Math.round(incident.at * WINDOW_MS[WINDOW]);
      return incident.what === "outside"
        ? { ...incident, at, used: Math.round(incident.used * limit) }
        : { ...incident, at };
    }),
  };
}

function ratesOf(acts: readonly Act[], limit: number): KeyRates {
  const slotMs = WINDOW_MS[WINDOW] / SLOTS;
  const perMs = new Float64Array(SLOTS);
  for (const { from, to, amount } of acts) {
    const [first, end] = [Math.round(from * SLOTS), Math.round(to * SLOTS)];
    const rate = (amount * limit) / ((end - first) * slotMs);
    for (let slot = first; slot < end; slot += 1) perMs[slot]! += rate;
  }
  return { slotMs, perMs, gapCv: new Float64Array(SLOTS) };
}
