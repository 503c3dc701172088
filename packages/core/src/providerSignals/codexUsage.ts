import { isRecord, type Members } from "../isRecord.js";
import { addCodexWindow } from "./codexWindow.js";
import type { Findings } from "./findings.js";
import { listIn } from "./listIn.js";
import { textIn } from "./textIn.js";
import { readNumber } from "./readNumber.js";

/**
 * The usage endpoint of Codex (`wham/usage`): `rate_limit` is the account's, `code_review_rate_limit` and
 * `additional_rate_limits` are of a feature or a model. Each has a `primary_window` and a `secondary_window`, named by
 * `limit_window_seconds`; `used_percent` is 0 to 100, `reset_at` an epoch in seconds, `reset_after_seconds` counts from the answer.
 */
export function readCodexUsage(body: Members, findings: Findings): void {
  readLimit(body["rate_limit"], { path: "rate_limit", scope: undefined }, findings);
  readLimit(
    body["code_review_rate_limit"],
    { path: "code_review_rate_limit", scope: "code_review" },
    findings,
  );
  for (const [index, other] of listIn(body["additional_rate_limits"]).entries()) {
    if (!isRecord(other)) continue;
    const path = `additional_rate_limits[${index}].rate_limit`;
    const scope =
      textIn(other["limit_name"]) ?? textIn(other["metered_feature"]) ?? `additional limit ${index}`;
    readLimit(other["rate_limit"], { path, scope }, findings);
  }
}

function readLimit(
  limit: unknown,
  { path, scope }: { readonly path: string; readonly scope: string | undefined },
  findings: Findings,
): void {
  if (!isRecord(limit)) return;
  for (const slot of ["primary_window", "secondary_window"]) {
    const window = limit[slot];
    if (!isRecord(window)) continue;
    const at = `${path}.${slot}`;
    const lengthField = `${at}.limit_window_seconds`;
    const seconds = readNumber(window["limit_window_seconds"], lengthField, findings);
    addCodexWindow(
      {
        used: window["used_percent"],
        source: `${at}.used_percent`,
        lengthMs: seconds === undefined ? undefined : seconds * 1000,
        resetAt: window["reset_at"],
        resetAtField: `${at}.reset_at`,
        resetAfter: window["reset_after_seconds"],
        resetAfterField: `${at}.reset_after_seconds`,
        scope,
      },
      findings,
    );
  }
}
