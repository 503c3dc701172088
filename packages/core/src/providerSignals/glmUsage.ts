import { isRecord, type Members } from "../isRecord.js";
import type { Findings } from "./findings.js";
import { listIn } from "./listIn.js";
import { CHINA_MINUTES, readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import { usedPart } from "./usedPart.js";
import { windowOfLength, type NamedWindow } from "./windowOfLength.js";

const HOURS = 3;
const DAYS = 4;
const MONTHS = 5;
const WEEKS = 6;
const DAY_MS = 86_400_000;
/** Percentages are rounded; two that differ by more do not speak of the same. */
const ROUNDING = 0.02;

/**
 * The usage endpoint of GLM (`monitor/usage/quota/limit`): `TOKENS_LIMIT` (for newer plans `CREDIT_LIMIT`, whose counts are not
 * tokens) is the account's, `TIME_LIMIT` that of its tools. A window is named by `unit` (3 hours, 4 days, 5 months, 6 weeks) and
 * `number`. The field called `usage` is the limit; `currentValue` is what is used, `percentage` is 0 to 100, and where they
 * contradict each other it is believed. `nextResetTime` is an epoch in milliseconds; a time without a zone is UTC+8.
 */
export function readGlmUsage(body: Members, findings: Findings): void {
  const data = isRecord(body["data"]) ? body["data"] : body;
  const limits = listIn(data["limits"]).filter(isRecord);
  const unnamed = limits.filter((limit) => isOfTokens(limit) && limit["unit"] === undefined).length;
  for (const [index, limit] of limits.entries()) {
    const path = `data.limits[${index}]`;
    const window = windowOf({ limit, path, unnamed }, findings);
    if (isOfTokens(limit)) addLimit({ limit, path, unit: "tokens", window }, findings);
    else if (limit["type"] === "TIME_LIMIT") addLimit({ limit, path, unit: "requests", window }, findings);
  }
}

function isOfTokens(limit: Members): boolean {
  return limit["type"] === "TOKENS_LIMIT" || limit["type"] === "CREDIT_LIMIT";
}

/** Plans with a single limit of tokens have it for five hours, and do not say so; several that do not say are not guessed at. */
function windowOf(
  { limit, path, unnamed }: { readonly limit: Members; readonly path: string; readonly unnamed: number },
  findings: Findings,
): NamedWindow | undefined {
  const unit = readNumber(limit["unit"], `${path}.unit`, findings);
  if (unit === undefined)
    return isOfTokens(limit) && unnamed === 1 ? windowOfLength(5 * 3_600_000) : undefined;
  const count = readNumber(limit["number"], `${path}.number`, findings) ?? 1;
  switch (unit) {
    case HOURS:
      return windowOfLength(count * 3_600_000);
    case DAYS:
      return windowOfLength(count * DAY_MS);
    case MONTHS:
      return windowOfLength(count * 30 * DAY_MS);
    case WEEKS:
      // One week has been seen as 1 and as 7.
      return windowOfLength((count === 7 ? 1 : count) * 7 * DAY_MS);
    default:
      return undefined;
  }
}

function addLimit(
  said: {
    readonly limit: Members;
    readonly path: string;
    readonly unit: "tokens" | "requests";
    readonly window: NamedWindow | undefined;
  },
  findings: Findings,
): void {
  const { limit, path, unit, window } = said;
  const source = `${path}.percentage`;
  const percent = readNumber(limit["percentage"], source, findings);
  // What is left is off by one at times, so it counts only where nothing says what is used.
  const used = limit["currentValue"];
  const counts = usedPart(
    { limit: limit["usage"], used, remaining: used === undefined ? limit["remaining"] : undefined },
    { limit: `${path}.usage`, used: `${path}.currentValue`, remaining: `${path}.remaining` },
    findings,
  );
  const agree =
    counts !== undefined &&
    (percent === undefined || Math.abs(counts.utilization - percent / 100) <= ROUNDING);
  if (counts !== undefined && !agree)
    findings.note(`${path}.currentValue and ${source} contradict each other: the percentage is believed.`);
  if (!agree && percent === undefined) return;
  const exact = agree ? counts : undefined;
  const countsTokens = limit["type"] !== "CREDIT_LIMIT";
  const at = readMoment(limit["nextResetTime"], `${path}.nextResetTime`, {
    findings,
    localMinutes: CHINA_MINUTES,
  });
  findings.add({
    unit,
    window: window?.window ?? null,
    lengthMs: window?.lengthMs,
    utilization: exact?.utilization ?? percent! / 100,
    limit: countsTokens ? exact?.limit : undefined,
    remaining: countsTokens ? exact?.remaining : undefined,
    reset: { at, source: `${path}.nextResetTime` },
    scope: unit === "requests" ? "tools" : undefined,
    source: exact === undefined ? source : `${path}.currentValue`,
  });
}
