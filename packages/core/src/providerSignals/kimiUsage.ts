import { isRecord, type Members } from "../isRecord.js";
import type { StatedReset } from "./believedReset.js";
import type { Findings } from "./findings.js";
import { listIn } from "./listIn.js";
import { readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import { usedPart } from "./usedPart.js";
import { windowOfLength, type NamedWindow } from "./windowOfLength.js";

const TIME_UNITS_MS: ReadonlyMap<unknown, number> = new Map([
  ["TIME_UNIT_SECOND", 1000],
  ["TIME_UNIT_MINUTE", 60_000],
  ["TIME_UNIT_HOUR", 3_600_000],
  ["TIME_UNIT_DAY", 86_400_000],
  ["TIME_UNIT_WEEK", 604_800_000],
]);

/** The newer ratios of the same windows. */
const RATIOS: readonly (readonly [string, string, string | undefined])[] = [
  ["limit_5h", "5h", undefined],
  ["limit_7d", "weekly", undefined],
  ["limit_month_total", "monthly", undefined],
  ["limit_month_code", "monthly", "code"],
];

/**
 * The usage endpoint of Kimi (`coding/v1/usages`): `usage` is the week's requests, `limits[]` are shorter windows, named by
 * their `duration` and `timeUnit`. Numbers may be strings, and a number that is 0 may be missing; a limit of 0 is none.
 * `usages.limit_*` gives fractions of the same windows; one is read where the counts say nothing. Resets are RFC 3339, with
 * microseconds; a time without a zone is UTC. The console's answer (`GetUsages`) has the same in `usages[]`, by feature.
 */
export function readKimiUsage(body: Members, findings: Findings): void {
  const counted = new Set<string>();
  if (isRecord(body["usage"])) {
    const window = { window: "weekly", lengthMs: 604_800_000 };
    if (addCounts({ detail: body["usage"], path: "usage", window }, findings)) counted.add("weekly");
  }
  for (const [index, limit] of listIn(body["limits"]).entries()) {
    if (!isRecord(limit)) continue;
    const path = `limits[${index}]`;
    const window = windowOf(limit["window"], `${path}.window`, findings);
    const detail = isRecord(limit["detail"]) ? limit["detail"] : limit;
    if (window !== undefined && addCounts({ detail, path: `${path}.detail`, window }, findings))
      counted.add(window.window);
  }
  const { usages } = body;
  if (Array.isArray(usages)) {
    const coding = listIn(usages).find((each) => isRecord(each) && each["scope"] === "FEATURE_CODING");
    if (isRecord(coding)) readKimiUsage({ usage: coding["detail"], limits: coding["limits"] }, findings);
  }
  if (!isRecord(usages)) return;
  for (const [name, window, scope] of RATIOS)
    if (scope !== undefined || !counted.has(window))
      addRatio(usages[name], { path: `usages.${name}`, window, scope }, findings);
}

function windowOf(said: unknown, path: string, findings: Findings): NamedWindow | undefined {
  if (!isRecord(said)) return undefined;
  const duration = readNumber(said["duration"], `${path}.duration`, findings);
  const unitMs = TIME_UNITS_MS.get(said["timeUnit"]);
  const known =
    duration === undefined || unitMs === undefined ? undefined : windowOfLength(duration * unitMs);
  if (known === undefined) findings.note(`${path} names no length that is known: ignored.`);
  return known;
}

function addCounts(
  { detail, path, window }: { readonly detail: Members; readonly path: string; readonly window: NamedWindow },
  findings: Findings,
): boolean {
  const part = usedPart(
    { limit: detail["limit"], used: detail["used"], remaining: detail["remaining"] },
    { limit: `${path}.limit`, used: `${path}.used`, remaining: `${path}.remaining` },
    findings,
  );
  if (part === undefined) return false;
  const { utilization, limit, remaining } = part;
  const reset = resetIn(detail, path, findings);
  findings.add({
    unit: "requests",
    ...window,
    utilization,
    limit,
    remaining,
    reset,
    source: `${path}.limit`,
  });
  return true;
}

function addRatio(
  said: unknown,
  {
    path,
    window,
    scope,
  }: { readonly path: string; readonly window: string; readonly scope: string | undefined },
  findings: Findings,
): void {
  if (!isRecord(said)) return;
  const source = `${path}.used_ratio`;
  const utilization = readNumber(said["used_ratio"], source, findings);
  if (utilization === undefined) return;
  findings.add({
    unit: "requests",
    window,
    utilization,
    reset: resetIn(said, path, findings),
    scope,
    source,
  });
}

function resetIn(said: Members, path: string, findings: Findings): StatedReset | undefined {
  const name = ["resetTime", "reset_time", "resetAt", "reset_at"].find((each) => said[each] !== undefined);
  if (name === undefined) return undefined;
  const source = `${path}.${name}`;
  return { at: readMoment(said[name], source, { findings }), source };
}
