import type { Findings } from "./findings.js";
import { windowOfLength } from "./windowOfLength.js";

/** Codex: `x-codex-primary-*` and `x-codex-secondary-*`. A window is named by its length, never by its position. */
export function readCodexHeaders(headers: ReadonlyMap<string, string>, findings: Findings): void {
  for (const slot of ["x-codex-primary-", "x-codex-secondary-"]) {
    const source = `${slot}used-percent`;
    const used = Number(headers.get(source));
    const minutes = Number(headers.get(`${slot}window-minutes`));
    if (!Number.isFinite(used) || used < 0 || !(minutes > 0 && minutes < Infinity)) continue;
    const { window, lengthMs } = windowOfLength(minutes * 60_000);
    const after = Number(headers.get(`${slot}reset-after-seconds`));
    const resetsAt = after > 0 ? findings.receivedAt + Math.min(after * 1000, lengthMs) : undefined;
    findings.add({ unit: "percent", window, utilization: used / 100, resetsAt, source });
  }
}
