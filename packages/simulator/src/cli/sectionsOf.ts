import { SCRIPTS } from "../scripts/scripts.js";
import { workloadOfScript } from "../scripts/workloadOfScript.js";
import type { Trace } from "../traces/trace.js";
import type { Workload } from "../workload.js";
import { workloadOfTrace } from "../workloadOfTrace.js";
import type { Arguments } from "./readArguments.js";

/** What is to be played, and what is said of it. */
export interface PlannedSection {
  readonly workload: Workload;
  readonly story: string;
}

/** The scripts that were asked for, or the trace. */
export function sectionsOf(
  asked: Arguments,
  trace: { readonly name: string; readonly slots: Trace } | undefined,
): readonly PlannedSection[] {
  const { limit, window, load, weights, seed, traffic } = asked;
  if (trace === undefined) {
    const wanted = traffic.from === "scripts" ? traffic.name : undefined;
    const names = wanted === undefined ? SCRIPTS.map(({ name }) => name) : [wanted];
    return names.map((name) => ({
      workload: workloadOfScript(name, { limit }),
      story: `${SCRIPTS.find((script) => script.name === name)?.story ?? ""} ${String(limit)} requests in five hours, seed ${seed}.`,
    }));
  }
  const workload = workloadOfTrace(trace.slots, { window, limit, load, weights }, trace.name);
  const shares = new Set(weights).size === 1 ? "equal weights" : `weights ${weights.join(", ")}`;
  const story = `${String(workload.keys.length)} keys, ${String(workload.windows)} windows (${window}) of ${String(limit)} requests, ${shares}, load ${String(load)}, seed ${seed}.`;
  return [{ workload, story }];
}
