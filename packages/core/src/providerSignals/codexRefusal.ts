import type { Members } from "../isRecord.js";
import { SAME_RESET_MS } from "../sightWindow.js";
import type { EpochMs } from "../units.js";
import type { Findings } from "./findings.js";
import type { ProviderReading } from "./providerReading.js";
import { readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";

/**
 * A refusal of Codex (`usage_limit_reached`) says when its window resets, not which window it is: `resets_at` is an epoch in
 * seconds, `resets_in_seconds` counts from the answer. The window with that reset is full, whatever its percentage
 * was rounded to; if none has it and none is full, the reading names no window.
 */
export function readCodexRefusal(error: Members, findings: Findings): void {
  const source = "error.resets_at";
  const at = readMoment(error["resets_at"], source, { findings });
  const seconds = readNumber(error["resets_in_seconds"], "error.resets_in_seconds", findings);
  const { receivedAt } = findings;
  const afterMs = seconds === undefined ? undefined : seconds * 1000;
  const resets: EpochMs | undefined = afterMs === undefined ? at : receivedAt + afterMs;
  if (resets !== undefined && resets >= receivedAt)
    findings.wait(resets - receivedAt, afterMs === undefined ? source : "error.resets_in_seconds");
  const window = fullestThatResetsAt(resets, findings.readings);
  if (window !== undefined) findings.fill(window);
  else if (!findings.readings.some(({ utilization }) => utilization >= 1))
    findings.add({
      unit: "percent",
      window: null,
      utilization: 1,
      reset: { at, afterMs, source },
      source: "error.type",
      refused: true,
    });
}

function fullestThatResetsAt(
  resets: EpochMs | undefined,
  readings: readonly ProviderReading[],
): ProviderReading | undefined {
  if (resets === undefined) return undefined;
  let fullest: ProviderReading | undefined;
  for (const reading of readings) {
    const { resetsAt, utilization } = reading;
    if (resetsAt === undefined || Math.abs(resetsAt - resets) > SAME_RESET_MS) continue;
    if (fullest === undefined || utilization > fullest.utilization) fullest = reading;
  }
  return fullest;
}
