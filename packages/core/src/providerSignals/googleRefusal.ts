import { fixedWindowAt } from "../fixedWindow.js";
import { isRecord, type Members } from "../isRecord.js";
import type { Findings } from "./findings.js";
import { durationIn } from "./durationIn.js";
import { listIn } from "./listIn.js";
import { textIn } from "./textIn.js";
import { readNumber } from "./readNumber.js";
import { shownValue } from "./shownValue.js";
import { usedPart } from "./usedPart.js";

/**
 * A refusal of Gemini: `error.details` has the wait (`RetryInfo`, a duration in seconds with a fraction) and the limits that are
 * spent (`QuotaFailure`). A limit of a day is spent until midnight in California, where these days begin: the short wait beside it
 * would only lead against the same wall, so it is not taken. Answers whether a limit of a day is spent.
 */
export function readGoogleRefusal(error: Members, findings: Findings): boolean {
  const details = listIn(error["details"]).filter(isRecord);
  const spent = details.flatMap((detail) => listIn(detail["violations"])).filter(isSpent);
  const spentToday = spent.some(isDaily);
  const midnight = spentToday ? endOfDay(findings.receivedAt) : undefined;
  for (const violation of spent.slice(0, MOST_SPENT)) addSpent(violation, midnight, findings);
  if (spentToday) return true;
  for (const detail of details) {
    readWait(detail["retryDelay"], "error.details.retryDelay", findings);
    if (isRecord(detail["metadata"]))
      readWait(detail["metadata"]["quotaResetDelay"], "error.details.metadata.quotaResetDelay", findings);
  }
  return false;
}

/** A refusal names a limit or two. */
const MOST_SPENT = 20;

function isSpent(violation: unknown): violation is Members {
  return isRecord(violation) && (isDaily(violation) || idOf(violation).includes("PerMinute"));
}

function isDaily(violation: Members): boolean {
  return idOf(violation).includes("PerDay");
}

function idOf(violation: Members): string {
  return textIn(violation["quotaId"]) ?? "";
}

function addSpent(violation: Members, midnight: number | undefined, findings: Findings): void {
  const daily = isDaily(violation);
  const dimensions = violation["quotaDimensions"];
  const counts = usedPart(
    { limit: violation["quotaValue"], remaining: 0 },
    { limit: "error.details.violations.quotaValue", remaining: "error.details.violations.quotaId" },
    findings,
  );
  findings.add({
    unit: idOf(violation).toLowerCase().includes("token") ? "tokens" : "requests",
    window: daily ? "daily" : "1m",
    utilization: 1,
    limit: counts?.limit,
    remaining: counts?.remaining,
    reset: daily ? { at: midnight, source: "error.details.violations.quotaId" } : undefined,
    scope: isRecord(dimensions) ? textIn(dimensions["model"]) : undefined,
    source: "error.details.violations.quotaId",
    refused: true,
  });
}

/** Documented by the provider: requests per day are granted anew at midnight Pacific time. */
function endOfDay(now: number): number | undefined {
  // Further from 1970 there are no dates.
  if (!(Math.abs(now) < 8e15)) return undefined;
  return fixedWindowAt({ window: "daily", anchor: { calendar: "America/Los_Angeles" } }, now).resets;
}

function readWait(value: unknown, field: string, findings: Findings): void {
  if (value === undefined || value === null) return;
  const ms = isRecord(value)
    ? msOf(value, field, findings)
    : typeof value === "string"
      ? durationIn(value)
      : undefined;
  if (ms === undefined) findings.note(`${field} is ${shownValue(value)}, not a duration: ignored.`);
  else findings.wait(ms, field);
}

/** A duration as some gateways pass it on: `{ seconds: "45", nanos: 837906927 }`. */
function msOf(said: Members, field: string, findings: Findings): number | undefined {
  const seconds = readNumber(said["seconds"], `${field}.seconds`, findings);
  const nanos = readNumber(said["nanos"], `${field}.nanos`, findings);
  return seconds === undefined && nanos === undefined
    ? undefined
    : (seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6;
}
