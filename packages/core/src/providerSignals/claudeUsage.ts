import { isRecord, type Members } from "../isRecord.js";
import { anthropicWindow, headerNameOf } from "./anthropicWindow.js";
import type { Findings } from "./findings.js";
import { readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import { usedPart } from "./usedPart.js";

/**
 * The usage endpoint of Claude (`oauth/usage`): `five_hour` and `seven_day` are the account's; others (`seven_day_opus`, …) keep
 * their name. `utilization` is in *percent* here, 1 is 1 %, where the same provider's headers give fractions; `resets_at` is RFC 3339.
 * `extra_usage` is what is paid beyond the plan, in cents a month.
 */
export function readClaudeUsage(body: Members, findings: Findings): void {
  for (const name of Object.keys(body)) {
    const said = body[name];
    if (!isRecord(said) || name.length > 60) continue;
    if (name === "extra_usage") readExtraUsage(said, findings);
    else if ("utilization" in said) readWindow(said, name, findings);
  }
}

function readWindow(said: Members, name: string, findings: Findings): void {
  const source = `${name}.utilization`;
  const percent = readNumber(said["utilization"], source, findings);
  if (percent === undefined) return;
  const { window, lengthMs, scope } = anthropicWindow(headerNameOf(name));
  const at = readMoment(said["resets_at"], `${name}.resets_at`, { findings });
  findings.add({
    unit: "percent",
    window,
    lengthMs,
    utilization: percent / 100,
    reset: { at, source: `${name}.resets_at` },
    scope,
    source,
  });
}

function readExtraUsage(said: Members, findings: Findings): void {
  if (said["is_enabled"] !== true) return;
  const fields = { limit: "extra_usage.monthly_limit", used: "extra_usage.used_credits" };
  const cents = usedPart({ limit: said["monthly_limit"], used: said["used_credits"] }, fields, findings);
  if (cents === undefined) return;
  findings.add({
    unit: "usd",
    window: "monthly",
    utilization: cents.utilization,
    limit: cents.limit / 100,
    remaining: cents.remaining / 100,
    scope: "overage",
    source: fields.used,
  });
}
