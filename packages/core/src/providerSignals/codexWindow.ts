import type { Findings } from "./findings.js";
import { readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import { windowOfLength } from "./windowOfLength.js";

/** A window of Codex, as headers and the usage endpoint both give it. */
export interface CodexWindow {
  /** In percent. */
  readonly used: unknown;
  readonly source: string;
  /** 0 or undefined: the slot is empty. */
  readonly lengthMs: number | undefined;
  readonly resetAt: unknown;
  readonly resetAtField: string;
  /** In seconds. */
  readonly resetAfter: unknown;
  readonly resetAfterField: string;
  readonly scope: string | undefined;
}

/** Adds the reading of a Codex window, unless its slot is empty. */
export function addCodexWindow(said: CodexWindow, findings: Findings): void {
  const { source, lengthMs, scope } = said;
  const used = readNumber(said.used, source, findings);
  if (used === undefined) return;
  if (lengthMs === undefined || lengthMs === 0) {
    if (used > 0) findings.note(`${source} names no length of its window: ignored.`);
    return;
  }
  const known = windowOfLength(lengthMs);
  if (known === undefined) {
    findings.note(`${source} belongs to a window of no believable length: ignored.`);
    return;
  }
  const at = readMoment(said.resetAt, said.resetAtField, { findings });
  const seconds = readNumber(said.resetAfter, said.resetAfterField, findings);
  const afterMs = seconds === undefined ? undefined : seconds * 1000;
  findings.add({
    unit: "percent",
    window: known.window,
    lengthMs: known.lengthMs,
    utilization: used / 100,
    reset: { at, afterMs, source: at === undefined ? said.resetAfterField : said.resetAtField },
    scope,
    source,
  });
}
